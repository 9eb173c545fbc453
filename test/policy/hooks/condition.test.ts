import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseCondition } from "../../../src/policy/hooks/hook-condition.ts";
import { parseHooks } from "../../../src/policy/hooks/parse-hooks.ts";
import { type Entry, never, startHooks } from "./session.ts";

const hooksOf = startHooks();

/** Whether a real hook with this condition runs for a call. */
async function runsFor(entry: Omit<Entry, "command">, tool: string, input: object): Promise<boolean> {
  const { runner, caller } = hooksOf("PreToolUse", [{ command: "exit 2", ...entry }]);
  const call = { names: [tool] as [string], input, toolUseId: "t1" };
  return (await runner.preToolUse(call, caller, never)).type === "deny";
}

const bash = (command: string) => ["Bash", { command }] as const;
const edit = (path: string, tool = "Edit") => [tool, { file_path: path }] as const;

describe("a hook with `if` (issue 20, 8)", () => {
  test.each<[string, readonly [string, object]]>([
    ["Bash(git *)", bash("git push")],
    ["Bash(git *)", bash("cd /tmp && git status")],
    ["Bash(git *)", bash("echo $(git log -1)")],
    ["Bash(git *)", bash("A=1 timeout 5 git log")],
    ["Bash(git *)", bash("sh -c 'git push'")],
    ["Bash(git *)", bash("npm test | tee >(git hash-object --stdin)")],
    ["Bash(git *)", bash('"$TOOL" push')],
    ["Bash(git *)", bash("if git (")],
    ["Bash(npm test:*)", bash("npm test -- --watch")],
    ["Bash", bash("true")],
    ["Edit(*.ts)", edit("src/a.ts")],
    ["Edit(*.ts)", edit("deep/a.ts", "Write")],
    ["Edit(*.ts)", bash("echo x > a.ts")],
    ["Edit(src/**)", edit("src/deep/a.md")],
    ["mcp__github", ["mcp__github__push", {}]],
    ["mcp__github__*", ["mcp__github__push", {}]],
    ["WebFetch(domain:example.com)", ["WebFetch", { url: "https://example.com/a" }]],
    ["Agent(Explore)", ["Agent", { subagent_type: "Explore" }]],
  ])("%s runs for %j", async (rule, [tool, input]) => {
    expect(await runsFor({ if: rule }, tool, input)).toBe(true);
  });

  test.each<[string, readonly [string, object]]>([
    ["Bash(git *)", bash("npm test")],
    ["Bash(git *)", bash("echo git")],
    ["Bash(git *)", bash("gitk")],
    ["Bash(git push *)", bash("git status && git log")],
    ["Bash(git *)", edit("git")],
    ["Edit(*.ts)", edit("a.js")],
    ["Edit(*.ts)", bash("cat a.ts")],
    ["Edit(src/**)", edit("lib/a.ts")],
    ["mcp__github", ["mcp__gitlab__push", {}]],
    ["WebFetch(domain:example.com)", ["WebFetch", { url: "https://example.org/a" }]],
    ["Agent(Explore)", ["Agent", { subagent_type: "Plan" }]],
  ])("%s does not run for %j", async (rule, [tool, input]) => {
    expect(await runsFor({ if: rule }, tool, input)).toBe(false);
  });

  test("a path of the user's own settings is in the directory that CLAUDE_CONFIG_DIR names", () => {
    vi.stubEnv("CLAUDE_CONFIG_DIR", "/conf");
    onTestFinished(() => void vi.unstubAllEnvs());
    const condition = parseCondition("Edit(/a.ts)", "user");
    if ("problem" in condition) throw new Error(condition.problem);
    const input = { old_string: "a", new_string: "b" };
    const call = (path: string) => ({
      names: ["Edit"],
      input: { ...input, file_path: path },
      cwd: "/p",
      root: "/p",
    });
    expect(["/conf/a.ts", "/p/b/a.ts"].map((path) => condition(call(path)))).toEqual([true, false]);
  });

  test("needs its matcher to match, too", async () => {
    expect(await runsFor({ if: "Bash(git *)", matcher: "Edit" }, ...bash("git push"))).toBe(false);
  });

  test("runs by one entry if the same command is configured with several conditions", async () => {
    const entries = [
      { command: "exit 2", if: "Bash(git *)" },
      { command: "exit 2", if: "Bash(npm *)" },
    ];
    const { runner, caller } = hooksOf("PreToolUse", entries);
    const [, input] = bash("npm publish");
    const call = { names: ["Bash"] as [string], input, toolUseId: "t1" };
    expect(await runner.preToolUse(call, caller, never)).toMatchObject({ type: "deny" });
  });

  test("is compared for the ends of calls", async () => {
    const { runner, caller } = hooksOf("PostToolUse", [{ command: "echo seen", if: "Bash(git *)" }]);
    const end = { event: "PostToolUse", response: {} } as const;
    const run = (command: string) =>
      runner.postToolUse({ names: ["Bash"], input: { command }, toolUseId: "t" }, end, caller, never);
    expect(await run("git log")).toEqual({ append: "seen" });
    expect(await run("ls")).toEqual({});
  });
});

const file = "/u/settings.json";
const parse = (event: string, condition: unknown) =>
  parseHooks([
    {
      ...{ scope: "user", file },
      value: { [event]: [{ hooks: [{ type: "command", command: "exit 2", if: condition }] }] },
    },
  ]);

test.each([
  ["Bash(git", "has a parenthesis without its other half"],
  ["bash(git *)", "names bash, and the tool is called Bash"],
  ["Bash(:*)", "has nothing before its wildcard"],
  ["git push", "is no tool's name"],
  ["", "is no tool's name"],
])("an `if` that is not a rule (%j) is reported, and the hook runs for every call", (rule, why) => {
  const { hooks, problems } = parse("PreToolUse", rule);
  expect(problems).toEqual([
    `${file}: hooks.PreToolUse[0].hooks[0].if (${rule}) ${why}; correct it, until then this hook runs for each call that its matcher accepts.`,
  ]);
  const [hook] = hooks.get("PreToolUse") ?? [];
  expect(hook).toMatchObject({ command: "exit 2" });
  expect(hook).not.toHaveProperty("condition");
});

test("an `if` that is not a text is reported, and the hook runs for every call", () => {
  const { hooks, problems } = parse("PreToolUse", 7);
  expect(problems).toEqual([expect.stringContaining("hooks.PreToolUse[0].hooks[0].if must be a text;")]);
  expect(hooks.get("PreToolUse")).toHaveLength(1);
});

test("an `if` at an event without a call is reported, and the hook never runs", () => {
  const { hooks, problems } = parse("Stop", "Bash(git *)");
  expect(problems).toEqual([
    `${file}: hooks.Stop[0].hooks[0].if is about a tool call, and Stop has none, so this hook never runs; remove the condition.`,
  ]);
  expect(hooks.size).toBe(0);
});
