import { describe, expect, test } from "vitest";
import { namedCommands } from "../../src/cli/commands/index.ts";
import { main } from "../../src/cli/main.ts";
import { shellCommands } from "../../src/cli/repl/shell-command.ts";
import { commandSummaries } from "../../src/cli/repl/slash-commands.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

async function troupe(...words: string[]) {
  const io = new FakeIO({ cwd: temporaryFolder(), homedir: temporaryFolder() });
  const runtime = new FakeRuntime({});
  const code = await main(words, io, runtime);
  return { code, err: io.err.text, sessions: runtime.sessions };
}

const slashCommands = Object.keys(commandSummaries).filter((name) => !Object.hasOwn(shellCommands, name));
const ways: readonly (readonly string[])[] = [["-p"], ["fanout", "look"], ["start", "look"]];

describe("a command of the conversation in the terminal, given to another", () => {
  test.each(ways)(
    "%s says where each of them belongs, and nothing begins",
    { tags: ["long"] },
    async (...way) => {
      for (const name of [...slashCommands, "quit"]) {
        const { code, err, sessions } = await troupe(...way, "--offline", `/${name} now`);
        expect(code).toBe(2);
        expect(err).toContain(
          `"/${name}" belongs to the conversation in the terminal, which troupe alone starts`,
        );
        expect(err).not.toContain("There is no command");
        expect(sessions).toEqual([]);
      }
    },
  );

  test.each([
    ["/help", "troupe --help lists what a shell has"],
    ["/agents", "in a shell there is troupe agents"],
    ["/mcp", "in a shell there is troupe mcp"],
    ["/permissions", "in a shell there is troupe permissions"],
    ["/config", "in a shell there is troupe config"],
    ["/mode plan", "troupe --help lists what a shell has"],
  ])("%s: what a shell has for it is named", async (line, words) => {
    expect((await troupe("-p", "--offline", line)).err).toContain(words);
  });

  test("what is a command of the shell alone is named as such", async () => {
    const names = namedCommands.map(({ name }) => name).filter((name) => !slashCommands.includes(name));
    for (const name of names.filter((one) => !one.includes(" "))) {
      const { code, err } = await troupe("-p", "--offline", `/${name}`);
      expect(code).toBe(2);
      expect(err).toContain(`There is no command or skill "/${name}"; in a shell there is troupe ${name}.`);
    }
  });

  test("-p refuses what there is not like fanout, and leaves prompts of servers and paths to the session", async () => {
    const unknown = await troupe("-p", "--offline", "/revew 12");
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('There is no command or skill "/revew". Near it are: /review.');
    for (const line of ["/review 12", "/mcp__x__y", "/usr/bin is what?"])
      expect((await troupe("-p", "--offline", line)).sessions).toHaveLength(1);
  });
});
