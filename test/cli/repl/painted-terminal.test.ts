import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createPaintedTerminal } from "../../../src/cli/repl/painted-terminal.ts";
import { settled } from "../../support/fake-clock.ts";
import { FakeIO } from "../fake-io.ts";

/** A terminal whose keys a test types, and what the conversation hears of them. */
function painted({ edit = async (text: string) => text } = {}) {
  const stdin = new PassThrough();
  const io = new FakeIO({ stdin, stdoutIsTTY: true, stdinIsTTY: true });
  const heard: string[] = [];
  const terminal = createPaintedTerminal(io, {
    ...{ history: ["from yesterday"], editOutside: edit },
    completer: { commands: () => [], files: async () => [] },
    onLine: (text) => heard.push(text),
    onInterrupt: () => heard.push("(interrupt)"),
    onEscape: () => heard.push("(escape)"),
    onNextMode: () => heard.push("(mode)"),
    onEnd: (how) => heard.push(`(${how})`),
    suspend: async () => void heard.push("(suspended)"),
  });
  onTestFinished(() => terminal.close());
  const type = async (keys: string) => {
    stdin.write(keys);
    await settled();
  };
  return { io, terminal, heard, type };
}

test.each([
  ["one\r", ["one"]],
  // Typed before the keys were taken.
  ["one\ntwo\n", ["one", "two"]],
  ["   \r", []],
  ["\u0003", ["(interrupt)"]],
  ["half\u0003\r", []],
  ["\u0004", ["(left)"]],
  ["x\u0004\r", ["x"]],
  ["\u001b[Z", ["(mode)"]],
  ["\u001b[27u", ["(escape)"]],
  ["away\u0013now\r\u0013\r", ["now", "away"]],
  ["\u001a", ["(suspended)"]],
  ["\u0012yester\r\r", ["from yesterday"]],
] as const)("%j means %j", async (keys, expected) => {
  const { heard, type } = painted();
  await type(keys);
  expect(heard).toEqual(expected);
});

test("the user's own editor gets the prompt, and its failure is shown and changes nothing", async () => {
  const outside = [async (text: string) => `${text} and more`, () => Promise.reject(new Error("no editor"))];
  const { io, heard, type } = painted({ edit: (text) => (outside.shift() ?? (async () => ""))(text) });
  await type("some\u0007");
  await type("\u0007");
  await type("\r");
  expect(heard).toEqual(["some and more"]);
  await io.clock.advance(1_000);
  expect(io.out.text).toContain("no editor");
});

test("a question rings if no key was pressed for a while, and not while the user types", async () => {
  const { io, terminal, type } = painted();
  const bells = () => io.out.text.split("\u0007").length - 1;
  const asked = () => terminal.dialog(async () => {});
  await type("a");
  await asked();
  expect(bells()).toBe(0);
  await io.clock.advance(11_000);
  await asked();
  expect(bells()).toBe(1);
});
