import { describe, expect, test } from "vitest";
import { parseHooks, parseMatcher } from "../../../src/policy/hooks/parse-hooks.ts";

const file = "/p/.claude/settings.json";
const group = (entry: object, matcher?: unknown) => [{ matcher, hooks: [{ type: "command", ...entry }] }];
const parse = (value: unknown) => parseHooks([{ scope: "project", file, value }]);

describe("a matcher (A5.4)", () => {
  test.each<[string, string[], string[]]>([
    ["", ["Edit", "mcp__a__b"], []],
    ["*", ["Edit", "mcp__a__b"], []],
    [" Edit ", ["Edit"], ["edit", "NotebookEdit", "Edit2"]],
    ["Edit|Write", ["Edit", "Write"], ["MultiEdit", "Read", "Edit|Write"]],
    ["Edit | Write", ["Edit", "Write"], ["MultiEdit"]],
    ["Edit, Write", ["Edit", "Write"], ["MultiEdit", "Edit, Write"]],
    ["Notebook.*", ["NotebookEdit", "MyNotebook"], ["Edit"]],
    ["^Bash$", ["Bash"], ["BashOutput"]],
    [".*", ["Edit"], []],
    ["mcp__github__push", ["mcp__github__push"], ["mcp__github__push_all", "mcp__github"]],
    ["mcp__github", ["mcp__github__push", "mcp__github"], ["mcp__github2__push", "mcp__git__push"]],
    ["mcp__my-server|Read", ["mcp__my-server__x", "Read"], ["mcp__my__x"]],
    ["mcp__.*__write.*", ["mcp__a__write_it"], ["mcp__a__read"]],
  ])("%j matches %j and not %j", (matcher, yes, no) => {
    const matches = parseMatcher(matcher);
    expect(yes.filter((name) => !matches(name))).toEqual([]);
    expect(no.filter((name) => matches(name))).toEqual([]);
  });
});

test("the seed's example is read as it stands (A5.12)", () => {
  const { hooks, problems } = parse({
    PreToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "npm run lint:check" }] }],
  });
  expect(problems).toEqual([]);
  expect(hooks.get("PreToolUse")).toEqual([
    {
      ...{ event: "PreToolUse", type: "command" },
      matches: expect.any(Function),
      command: "npm run lint:check",
      timeoutMs: 600_000,
      failClosed: false,
      scope: "project",
      file,
    },
  ]);
  expect(hooks.size).toBe(1);
});

test("settings without hooks have none", () => {
  expect(parse(undefined)).toEqual({ hooks: new Map(), problems: [] });
  expect(parse({})).toEqual({ hooks: new Map(), problems: [] });
});

test("keeps hooks of several files in the order of the files, and ignores other programs' keys", () => {
  const { hooks, problems } = parseHooks([
    { scope: "user", file: "/u", value: { Stop: group({ command: "a", timeout: 0.5, statusMessage: "x" }) } },
    { scope: "local", file: "/l", value: { Stop: [...group({ command: "b" }), ...group({ command: "c" })] } },
  ]);
  expect(problems).toEqual([]);
  expect(hooks.get("Stop")?.map(({ command, timeoutMs, file }) => [command, timeoutMs, file])).toEqual([
    ["a", 500, "/u"],
    ["b", 600_000, "/l"],
    ["c", 600_000, "/l"],
  ]);
});

test.each([
  ["enterprise", "PreToolUse", undefined, true],
  ["enterprise", "PreToolUse", false, false],
  ["enterprise", "PostToolUse", undefined, false],
  ["user", "PreToolUse", undefined, false],
  ["user", "PreToolUse", true, true],
] as const)(
  "a failing hook of %s at %s with failClosed %s blocks: %s (A22.21)",
  (scope, event, given, blocks) => {
    const value = { [event]: group({ command: "x", failClosed: given }) };
    const { hooks } = parseHooks([{ scope, file, value }]);
    expect(hooks.get(event)?.[0]?.failClosed).toBe(blocks);
  },
);

test.each([
  [[], "hooks must be an object"],
  [{ PreToolUse: {} }, "hooks.PreToolUse must be a list"],
  [{ PreTooluse: [] }, "hooks.PreTooluse is no event; the nearest is PreToolUse;"],
  [{ Elsewhere: [] }, "hooks.Elsewhere is no event; there are UserPromptSubmit, PreToolUse,"],
  [{ Stop: ["x"] }, "hooks.Stop[0] must be an object"],
  [{ Stop: [{}] }, "hooks.Stop[0].hooks must be a list"],
  [{ Stop: group({ command: "x" }, 7) }, "hooks.Stop[0].matcher must be a text"],
  [
    { Stop: group({ command: "x" }, "Edit(") },
    "hooks.Stop[0].matcher is neither a name nor a regular expression (Edit()",
  ],
  [{ Stop: group({}) }, "hooks.Stop[0].hooks[0].command must be a command line"],
  [{ Stop: group({ command: " " }) }, "hooks.Stop[0].hooks[0].command must be a command line"],
  [
    { Stop: group({ command: "x", type: "webhook" }) },
    'hooks.Stop[0].hooks[0].type must be "command", "prompt" or',
  ],
  [
    { Stop: group({ url: "http://localhost/", type: "http" }) },
    'hooks.Stop[0].hooks[0] is of the type "http" of Claude Code, which does not exist here',
  ],
  [
    { PostToolBatch: group({ command: "x" }) },
    "hooks.PostToolBatch is an event of Claude Code that does not exist here, so its hooks do not run.",
  ],
  [{ Stop: group({ command: "x", type: "prompt" }) }, "hooks.Stop[0].hooks[0].prompt must be a text"],
  [
    { SessionStart: group({ prompt: "x", type: "agent" }) },
    'hooks.SessionStart[0].hooks[0].type must be "command" at SessionStart, where',
  ],
  [
    { Stop: group({ command: "x", timeout: 0 }) },
    "hooks.Stop[0].hooks[0].timeout must be a positive number of seconds",
  ],
  [
    { Stop: group({ command: "x", timeout: "5" }) },
    "hooks.Stop[0].hooks[0].timeout must be a positive number of seconds",
  ],
  [
    { Stop: group({ command: "x", failClosed: 1 }) },
    "hooks.Stop[0].hooks[0].failClosed must be true or false",
  ],
  [{ Stop: group({ command: "x", async: "yes" }) }, "hooks.Stop[0].hooks[0].async must be true or false"],
])("what is wrong in %j is named with its file and takes nothing else down", (value, problem) => {
  const good = { scope: "user", file: "/good", value: { Stop: group({ command: "good" }) } } as const;
  const { hooks, problems } = parseHooks([{ scope: "project", file, value }, good]);
  expect(problems).toEqual([expect.stringContaining(`${file}: ${problem}`)]);
  expect([...hooks.values()].flat().map(({ command }) => command)).toEqual(["good"]);
});

test("a broken entry leaves its neighbours in the same list", () => {
  const entries = [{ type: "command", command: "a" }, 7, { type: "command", command: "b" }];
  const { hooks, problems } = parse({ Stop: [{ hooks: entries }, null, { hooks: [] }] });
  expect(hooks.get("Stop")?.map(({ command }) => command)).toEqual(["a", "b"]);
  expect(problems).toHaveLength(2);
});

test("a timeout that was meant in milliseconds is shortened, and said; the hook runs (issue 20, 8)", () => {
  const { hooks, problems } = parse({ Stop: group({ command: "x", timeout: 30_000 }) });
  expect(hooks.get("Stop")?.map(({ timeoutMs }) => timeoutMs)).toEqual([3_600_000]);
  expect(problems).toEqual([
    `${file}: hooks.Stop[0].hooks[0].timeout is in seconds and 30000 is too long, so 3600 s count; if you meant milliseconds, write 30.`,
  ]);
});

test("`once` counts in a skill; elsewhere the hook runs each time, and the key is named (issue 20, 8)", () => {
  const value = { Stop: group({ command: "x", once: true }) };
  const own = parseHooks([{ scope: "user", file, value, skill: file }]);
  expect(own).toMatchObject({ problems: [] });
  expect(own.hooks.get("Stop")).toMatchObject([{ once: true }]);
  const { hooks, problems } = parse(value);
  expect(hooks.get("Stop")?.map(({ once }) => once)).toEqual([undefined]);
  expect(problems).toEqual([
    `${file}: hooks.Stop[0].hooks[0].once counts only in a skill, so this hook runs each time; remove the key.`,
  ]);
});

test("a hook of a prompt has 30 seconds unless it says more, because the user waits for it", () => {
  const { hooks } = parse({ UserPromptSubmit: group({ command: "a" }), Stop: group({ command: "b" }) });
  const times = [...hooks.values()].flat().map(({ event, timeoutMs }) => [event, timeoutMs]);
  expect(times).toEqual([
    ["UserPromptSubmit", 30_000],
    ["Stop", 600_000],
  ]);
});
