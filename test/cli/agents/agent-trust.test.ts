import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionAgents } from "../../../src/cli/agents/session-agents.ts";
import { type AskTrust, sessionSettings } from "../../../src/cli/session-settings.ts";
import { untrustedNote } from "../../../src/policy/trust/trust-text.ts";
import { agentsIn, simple } from "../../context/agents/agent-files.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { FakeIO } from "../fake-io.ts";

const powers = (command = "./check.sh") => `permissionMode: acceptEdits
hooks:
  Stop:
    - hooks: [{ type: command, command: "${command}" }]
mcpServers:
  - db: { command: ./db }
`;

function here() {
  const homedir = temporaryFolder();
  const cwd = temporaryFolder();
  const home = join(homedir, ".troupe");
  const io = Object.assign(new FakeIO(), { homedir, managedSettings: join(homedir, "managed.json") });
  const session = (askTrust?: AskTrust, trusts = false) =>
    sessionSettings(io, { cwd, home, trusts, ...(askTrust ? { askTrust } : {}) });
  return { cwd, session };
}

describe("what a folder's agents would do", () => {
  test("appears in the trust question, applies after a yes, and is asked about again after a change", async () => {
    const { cwd, session } = here();
    agentsIn(cwd, { "dba.md": simple("dba", powers()), "plain.md": simple("plain") });
    const questions: string[] = [];
    const asked = await session(async (question) => {
      questions.push(question.text);
      return true;
    });
    expect(questions.join()).toContain('  - run "./check.sh" as a hook (Stop) of the agent dba');
    expect(questions.join()).toContain("  - start the MCP server db for the agent dba: ./db");
    expect(questions.join()).toContain("  - let the agent dba work in the mode acceptEdits");
    expect(questions.join()).not.toContain("plain");
    const { agents, inert } = await asked.agents.look();
    expect(agents.find(({ name }) => name === "dba")).toMatchObject({
      permissionMode: "acceptEdits",
      hooks: { Stop: [{ hooks: [{ command: "./check.sh" }] }] },
      mcpServers: { own: { db: { command: "./db" } } },
    });
    expect(inert).toBeNull();

    agentsIn(cwd, { "dba.md": simple("dba", powers("./other.sh")) });
    const again = await session(async (question) => {
      questions.push(question.text);
      return false;
    });
    expect(questions).toHaveLength(2);
    expect(questions[1]).toMatch(/have changed since you trusted them/);
    expect(questions[1]).toContain('  - run "./other.sh" as a hook (Stop) of the agent dba');
    expect(questions[1]).not.toContain("MCP server");
    // What was agreed to still counts.
    const changed = (await again.agents.look()).agents.find(({ name }) => name === "dba");
    expect(changed?.hooks).toBeUndefined();
    expect(changed?.mcpServers?.own).toEqual({ db: { command: "./db" } });
  });

  test("takes nothing from settings that were agreed to, and is reported once if no user can be asked", async () => {
    const { cwd, session } = here();
    mkdirSync(join(cwd, ".claude"));
    writeFileSync(join(cwd, ".claude", "settings.json"), '{"permissions":{"allow":["Bash(npm test)"]}}');
    await session(async () => true);
    agentsIn(cwd, { "dba.md": simple("dba", powers()) });
    const { read, notes, agents } = await session();
    expect(read.rules.map(({ text }) => text)).toEqual(["Bash(npm test)"]);
    expect(untrustedNote(read.trust)).toBeNull();
    const told = await sessionAgents(agents);
    expect([...notes, ...told.notes].filter((note) => note.includes("not trusted"))).toEqual([
      "This directory is not trusted, so some of what its agent definitions say does not count: dba (hooks, MCP servers, permissionMode acceptEdits). --trust lets it count for this run.",
    ]);
    const dba = told.agents.filter(({ name }) => name === "dba");
    expect(dba.map(({ hooks }) => hooks)).toEqual([undefined]);
  });

  test("--trust agrees to what there is at the beginning, not to what is written later", async () => {
    const { cwd, session } = here();
    agentsIn(cwd, { "dba.md": simple("dba", powers()) });
    const { agents } = await session(undefined, true);
    const told = await sessionAgents(agents);
    expect(told.notes).toEqual([]);
    expect(told.agents[0]?.hooks).toBeDefined();
    agentsIn(cwd, { "dba.md": simple("dba", powers("./later.sh")) });
    const now = await told.agentsNow();
    expect(now?.agents.map(({ hooks }) => hooks)).toEqual([undefined]);
    expect(now?.notes).toEqual([expect.stringMatching(/not trusted, .*: dba \(hooks\)/)]);
  });
});

test("an agent that replaces another one is a question, and counts only after a yes (issue 14)", async () => {
  const { cwd, session } = here();
  const hook = "hooks:\n  Stop:\n    - hooks: [{ type: command, command: ./own.sh }]\n";
  agentsIn(cwd, { "Explore.md": simple("Explore", hook) });
  const untrusted = await session();
  expect((await sessionAgents(untrusted.agents)).agents).toEqual([]);
  expect(untrusted.notes).toEqual([]);
  const questions: string[] = [];
  const asked = await session(async (question) => {
    questions.push(question.text);
    return true;
  });
  expect(questions.join()).toContain("  - use its agent Explore instead of the built-in one\n");
  expect(questions.join()).toContain('  - run "./own.sh" as a hook (Stop) of the agent Explore\n');
  expect(await asked.agents.look()).toMatchObject({ agents: [{ name: "Explore" }], inert: null });
  const later = await session();
  expect(later.read.trust.type).toBe("trusted");
  expect((await sessionAgents(later.agents)).agents).toMatchObject([{ name: "Explore", hooks: {} }]);
});

test("is read again when the user has agreed to more of it", async () => {
  const { cwd, session } = here();
  const two = powers().replace(
    "  Stop:",
    "  PreToolUse:\n    - hooks: [{ type: command, command: ./a.sh }]\n  Stop:",
  );
  agentsIn(cwd, { "dba.md": simple("dba", powers()) });
  await session(async () => true);
  agentsIn(cwd, { "dba.md": simple("dba", two) });
  const { agents, read, reader } = await session();
  expect(read.trust.type).toBe("untrusted");
  const before = await agents.look();
  expect(Object.keys(before.agents[0]?.hooks ?? {})).toEqual(["Stop"]);
  reader.trustForNow();
  await reader.read();
  const after = await agents.look();
  expect(Object.keys(after.agents[0]?.hooks ?? {})).toEqual(["PreToolUse", "Stop"]);
  expect(await agents.look()).toBe(after);
});

test("files of agents are read again before a prompt only where they have changed, and what is wrong is said once", async () => {
  const { cwd, session } = here();
  agentsIn(cwd, { "one.md": simple("one"), "bad.md": "no front matter" });
  const told = await sessionAgents((await session()).agents);
  expect(told.agents.map(({ name }) => name)).toEqual(["one"]);
  expect(told.notes).toHaveLength(1);
  expect(await told.agentsNow()).toBeNull();
  agentsIn(cwd, { "two.md": simple("two") });
  expect(await told.agentsNow()).toMatchObject({ agents: [{ name: "one" }, { name: "two" }], notes: [] });
  expect(await told.agentsNow()).toBeNull();
  rmSync(join(cwd, ".claude"), { recursive: true });
  expect(await told.agentsNow()).toMatchObject({ agents: [] });
});
