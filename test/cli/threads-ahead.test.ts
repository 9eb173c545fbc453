import { expect, onTestFinished, test } from "vitest";
import { namedCommands } from "../../src/cli/commands/index.ts";
import { OPENING, threadsFor } from "../../src/cli/threads-ahead.ts";

test.each([
  [["-p", "hello"], true],
  [["--model", "opus", "-p", "hello"], true],
  [[], true],
  [["fanout", "a", "b"], true],
  [["start"], true],
  [["--help"], false],
  [["-v"], false],
  [["fanout", "--help"], false],
  [["sessions", "list"], false],
  [["no-such-command"], false],
])("threads of a session boot ahead only where the command line asks a model: %j", async (argv, boots) => {
  const ahead = threadsFor(argv);
  onTestFinished(() => ahead?.close());
  expect(ahead !== null).toBe(boots);
});

test("the commands that boot threads ahead exist", () => {
  const names = namedCommands.map(({ name }) => name);
  expect(OPENING.filter((name) => !names.includes(name))).toEqual([]);
});
