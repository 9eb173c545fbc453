import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingsSource } from "../../../src/cli/directories.ts";
import { keptFile } from "../../../src/cli/repl/asks/keep-rules.ts";
import { terminalPerson } from "../../../src/cli/repl/asks/person.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { settingsReader } from "../../../src/policy/trust/trust.ts";
import type { PermissionRequest } from "../../../src/policy/user-requests.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { FakeTerminal, noAgents } from "./fake-terminal.ts";
import { ownFiles } from "./slash-ground.ts";

const ask: PermissionRequest = {
  ...{ type: "permission", id: "1", tool: "Bash", level: "execute", title: "git push", details: [] },
  ...{ input: { command: "git push" }, reason: "It is a question.", grants: ["Bash(git push)"] },
  askers: [{ actor: MAIN, path: ["main conversation"] }],
};

/** Answers the request with these lines, in a project with these settings of its own. */
async function answered(lines: readonly string[], settings?: object, edited?: string) {
  const [cwd, homedir] = [temporaryFolder(), temporaryFolder()];
  if (settings !== undefined) {
    mkdirSync(join(cwd, ".claude"));
    writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
  }
  const own = ownFiles({ cwd, homedir, managed: join(homedir, "none.json") });
  const terminal = new FakeTerminal({
    ...{
      onLine() {},
      onInterrupt() {},
      onEscape: () => false,
      onNextMode() {},
      agents: noAgents,
      onEnd() {},
    },
  });
  terminal.answers.push(...lines);
  const modes: string[] = [];
  const offers = () => ({ own, acceptEdits: () => void modes.push("acceptEdits") });
  const edit = { ...ask, tool: "Edit", level: "write", title: `${cwd}${edited}` } as const;
  const asked = edited === undefined ? ask : { ...edit, reason: `${edit.title}: no rule allows to write it` };
  const answer = await terminalPerson(terminal, offers).ask(asked, new AbortController().signal);
  const later = await settingsReader(settingsSource(own.io, cwd), false).read();
  return { answer, terminal, file: keptFile(own), later, modes };
}

test("always in this project shows the rule, writes it, and later sessions need no trust for it", async () => {
  const { answer, terminal, file, later } = await answered(["p", "y"]);
  expect(answer).toEqual({ type: "allow", span: "session", grants: ["Bash(git push)"] });
  expect(terminal.text).toMatch(/writes {6}allow Bash\(git push\)\n {2}into {8}\S+settings\.local\.json/);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { allow: ["Bash(git push)"] } });
  expect(later.trust.type).toBe("trusted");
  expect(later.rules).toMatchObject([{ text: "Bash(git push)", behaviour: "allow", scope: "local" }]);
});

test("the user can take it back: nothing is written, and the question is still open", async () => {
  const { answer, file } = await answered(["p", "n", "n not now"]);
  expect(answer).toEqual({ type: "deny", span: "once", message: "not now" });
  expect(existsSync(file)).toBe(false);
});

test("it agrees to nothing else that the directory brings", async () => {
  const { terminal, later } = await answered(["p", "y"], { permissions: { allow: ["Bash(rm:*)"] } });
  expect(terminal.text).toContain("once you trust the directory");
  expect(later.trust).toMatchObject({ type: "untrusted" });
  expect(later.rules).toEqual([]);
});

test("an edit in the project is named by its path there, and can change the mode (issue 21, 7)", async () => {
  const { answer, terminal, modes } = await answered(["a"], undefined, "/src/a.ts");
  expect(terminal.text).toContain("  Edit  src/a.ts\n  why         src/a.ts: no rule allows to write it");
  expect([answer, modes]).toEqual([{ type: "allow", span: "once" }, ["acceptEdits"]]);
});

test.each([["/../outside/a.ts"], [undefined]])(
  "what the mode acceptEdits would not spare does not offer it: %j",
  async (edited) => {
    const { answer, terminal, modes } = await answered(["a", "n"], undefined, edited);
    expect(terminal.text).toContain("Type y, s, p, n or d, and Enter.");
    expect([answer, modes]).toEqual([{ type: "deny", span: "once" }, []]);
  },
);
