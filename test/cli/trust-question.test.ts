import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionSettings } from "../../src/cli/session-settings.ts";
import { ruleGroup } from "../../src/policy/trust/grants.ts";
import type { TrustQuestion } from "../../src/policy/trust/trust-text.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { wrapText } from "../../src/terminal/wrap.ts";
import { agentsIn, simple } from "../context/agents/agent-files.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A directory with 300 agents, 40 hooks and 12 servers. */
function collection() {
  const homedir = temporaryFolder();
  const cwd = temporaryFolder();
  const mode = (at: number) => (at === 77 ? "bypassPermissions" : "acceptEdits");
  agentsIn(
    cwd,
    Object.fromEntries(
      numbers(300).map((at) => [
        `a${at}.md`,
        simple(`agent-${at}`, at % 3 === 0 ? "" : `permissionMode: ${mode(at)}\n`),
      ]),
    ),
  );
  const hooks = (from: number, count: number) =>
    numbers(count).map((at) => ({ hooks: [{ type: "command", command: `./hook-${from + at}.sh` }] }));
  const servers = numbers(12).map((at) => [`server-${at}`, { command: "./serve", args: [`${at}`] }]);
  const allow = [
    "Read(src/**)",
    "TodoWrite",
    "Grep(./docs/**)",
    "Edit",
    "WebFetch(domain:example.com)",
    "Bash(make:*)",
  ];
  const settings = {
    permissions: { allow },
    hooks: { Stop: hooks(0, 1), PreToolUse: hooks(1, 30), PostToolUse: hooks(31, 9) },
    model: "opus",
  };
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  const io = Object.assign(new FakeIO({ homedir, cwd }), { managedSettings: join(homedir, "managed.json") });
  /** `answer` is null if no user can be asked. */
  const open = (answer: boolean | null, asked: TrustQuestion[] = []) =>
    sessionSettings(io, {
      ...{ cwd, home: join(homedir, ".troupe"), trusts: false },
      ...(answer === null
        ? {}
        : {
            async askTrust(question: TrustQuestion) {
              asked.push(question);
              return answer;
            },
          }),
    });
  return { cwd, open };
}

describe("the trust question of a large collection", () => {
  test("groups what it grants, with counts and the dangerous groups first, and leaves out what is free", async () => {
    const { cwd, open } = collection();
    const asked: TrustQuestion[] = [];
    await open(false, asked);
    const lines = asked[0]?.text.split("\n") ?? [];
    expect(lines.filter((line) => !line.startsWith("    - "))).toEqual([
      `${cwd} brings settings of its own (.claude, .mcp.json, .git). If you trust it, they will:`,
      "  work without checks (1):",
      "  run commands by themselves (3):",
      "  start servers (12):",
      "  let agents run commands without a question (1):",
      "  let agents reach the network without a question (1):",
      "  let agents edit files, or work elsewhere, without a question (200):",
      "  choose models, names and other settings (1):",
      "  (left out: 3 that need no question anyway)",
      "Until you do, they can only deny and ask. Do you trust this directory?",
    ]);
    expect(lines[2]).toBe(
      "    - let the agent agent-77 work in the mode bypassPermissions, unless the session's is narrower",
    );
    expect(lines).toContain('    - run "./hook-0.sh" as a hook (Stop)');
    expect(lines.join("\n")).toContain('    - run 30 commands as hooks (PreToolUse): "./hook-1.sh"');
    expect(lines).toContain("    - and 6 more");
    expect(lines).toContain("    - and 197 more");
  });

  test.each([80, 40])("fits on a few screens of %i columns", async (columns) => {
    const asked: TrustQuestion[] = [];
    await collection().open(false, asked);
    const rows = wrapText(asked[0]?.text ?? "", columns);
    expect(rows.length).toBeLessThan(columns === 80 ? 50 : 90);
    expect(Math.max(...rows.map(displayWidth))).toBeLessThanOrEqual(columns);
  });

  test("has everything in its long form, and a yes agrees to everything", async () => {
    const { open } = collection();
    const asked: TrustQuestion[] = [];
    const { read } = await open(true, asked);
    const all = asked[0]?.all ?? "";
    for (const at of numbers(40)) expect(all).toContain(`"./hook-${at}.sh"`);
    for (const at of numbers(12)) expect(all).toContain(`server server-${at}:`);
    for (const at of numbers(300).filter((at) => at % 3 !== 0)) expect(all).toContain(`agent agent-${at} `);
    for (const rule of ["Read(src/**)", "TodoWrite", "Grep(./docs/**)"]) expect(all).toContain(rule);
    expect(read.trust).toMatchObject({ type: "trusted", grants: { length: 222 } });
    expect((await open(false)).read.trust.type).toBe("trusted");
  });

  test("is named with its dangerous part first if no user can be asked", async () => {
    const { notes } = await collection().open(null);
    expect(notes.join("\n")).toMatch(
      /\(run "\.\/hook-0\.sh" as a hook \(Stop\); run 30 commands as hooks .*; and \d+ more, which troupe doctor shows\)/,
    );
  });
});

test.each([
  ["Bash", "unchecked"],
  ["Bash(*)", "unchecked"],
  ["Bash(make:*)", "commands"],
  ["Read", "reads"],
  ["Read(~/.ssh/**)", "reads"],
  ["Read(//etc/**)", "reads"],
  ["Read(src/../../x)", "reads"],
  ["Read(/src/**)", "free"],
  ["Glob(src/*)", "free"],
  ["TodoWrite", "free"],
  ["WebFetch(domain:x)", "network"],
  ["Write(a)", "edits"],
  ["mcp__db__drop", "tools"],
  ["", "tools"],
])("the rule %s is in the group %s", (rule, group) => {
  expect(ruleGroup(rule)).toBe(group);
});
