import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ActorId, MAIN } from "../../../src/mailbox/ids.ts";
import type { HookEvent } from "../../../src/settings/hook-events.ts";
import { edit, never, printing, startHooks } from "./session.ts";

const hooksOf = startHooks();
const readBack = (folder: string) => JSON.parse(readFileSync(join(folder, "event.json"), "utf8"));

const answer = (decision: object) =>
  printing({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });

describe("PermissionRequest (issue 20, 8)", () => {
  const request = async (command: string, more: { readonly failClosed?: boolean } = {}) => {
    const session = hooksOf("PermissionRequest", [
      { command: `cat > event.json; ${command}`, matcher: "Edit", ...more },
    ]);
    const { runner, caller } = session;
    const result = await runner.permissionRequest(edit, ["Bash(npm test)", "Edit"], caller, never);
    return { ...session, result };
  };

  test("reads the call, and the rules that would spare the question", async () => {
    const { result, folder } = await request("true");
    expect(result).toEqual({ type: "none" });
    const read = readBack(folder);
    expect(read).toMatchObject({
      hook_event_name: "PermissionRequest",
      ...{ tool_name: "Edit", tool_input: edit.input },
    });
    expect(read).not.toHaveProperty("tool_use_id");
    expect(read.permission_suggestions).toEqual([
      {
        ...{ type: "addRules", behavior: "allow", destination: "session" },
        rules: [{ toolName: "Bash", ruleContent: "npm test" }],
      },
      { type: "addRules", behavior: "allow", destination: "session", rules: [{ toolName: "Edit" }] },
    ]);
  });

  test.each<[string, object]>([
    [answer({ behavior: "allow" }), { type: "allow" }],
    [answer({ behavior: "allow", updatedInput: { a: 1 } }), { type: "allow", input: { a: 1 } }],
    [answer({ behavior: "deny", message: "not now" }), { type: "deny", reason: "not now" }],
    [
      answer({ behavior: "deny", message: "enough", interrupt: true }),
      { type: "deny", reason: "enough", stop: "enough" },
    ],
    ["echo never >&2; exit 2", { type: "deny", reason: "never" }],
    ["echo some text", { type: "none" }],
    ["exit 1", { type: "none" }],
    [answer({ behavior: "perhaps" }), { type: "none" }],
  ])("%s", async (command, expected) => {
    expect((await request(command)).result).toMatchObject(expected);
  });

  test("denies if it must agree and fails", async () => {
    const { result } = await request("no-such-program-here", { failClosed: true });
    expect(result).toMatchObject({ type: "deny" });
  });
});

describe("SubagentStart", () => {
  const agent = { owner: ActorId.parse("agent1"), agentType: "Explore" };
  const start = async (command: string, matcher = "Explore") => {
    const session = hooksOf("SubagentStart", [{ command: `cat > event.json; ${command}`, matcher }]);
    const result = await session.runner.subagentStart({ ...session.caller, ...agent }, never);
    return { ...session, result };
  };

  test("reads the agent, and what it prints is for it", async () => {
    const { result, folder } = await start("echo mind the gap");
    expect(result).toEqual({ context: "mind the gap" });
    expect(readBack(folder)).toMatchObject({ agent_id: "agent1", agent_type: "Explore" });
    expect((await start("echo mind the gap", "Plan")).result).toEqual({});
  });

  test("cannot refuse with exit code 2, which the user reads, and can with continue: false", async () => {
    const { result, messages } = await start("echo rather not >&2; exit 2");
    expect(result).toEqual({});
    expect(messages).toEqual([expect.stringMatching(/said no, which changes nothing .*: rather not$/)]);
    const ended = await start(printing({ continue: false, stopReason: "enough" }));
    expect(ended.result).toEqual({ stop: "enough" });
  });
});

describe.each(["TaskCreated", "TaskCompleted"] as const)("%s", (event) => {
  const task = { event, id: "3", subject: "plant", description: "a tree" };
  const run = async (command: string) => {
    const session = hooksOf(event, [{ command: `cat > event.json; ${command}` }]);
    return { ...session, result: await session.runner.task(task, session.caller, never) };
  };

  test("reads the task", async () => {
    const { result, folder } = await run("true");
    expect(result).toEqual({});
    expect(readBack(folder)).toMatchObject({
      ...{ hook_event_name: event, task_id: "3", task_subject: "plant", task_description: "a tree" },
    });
  });

  test.each<[string, object]>([
    ["echo test it first >&2; exit 2", { block: "test it first" }],
    [printing({ decision: "block", reason: "test it" }), { block: "test it" }],
    [printing({ continue: false, stopReason: "enough" }), { stop: "enough" }],
    ["exit 1", {}],
  ])("%s", async (command, expected) => {
    expect((await run(command)).result).toEqual(expected);
  });
});

describe("worktrees", () => {
  const create = async (command: string) => {
    const session = hooksOf("WorktreeCreate", [{ command: `cat > event.json; ${command}` }]);
    const tree = { name: "agent-1", path: "/p/.claude/worktrees/agent-1" };
    return { ...session, result: await session.runner.worktreeCreate(tree, session.caller, never) };
  };

  test("WorktreeCreate reads the name and the path", async () => {
    const { result, folder } = await create("true");
    expect(result).toBe(null);
    expect(readBack(folder)).toMatchObject({
      ...{ hook_event_name: "WorktreeCreate", name: "agent-1" },
      worktree_path: "/p/.claude/worktrees/agent-1",
    });
  });

  test.each([
    ["echo none here >&2; exit 2", /^none here$/],
    ["echo broken >&2; exit 1", /ended with exit code 1: broken, so this is not done/],
    ["no-such-program-here", /could not be run/],
    [printing({ decision: "block", reason: "no" }), /^no$/],
  ])("WorktreeCreate refuses with %s", async (command, why) => {
    expect((await create(command)).result).toMatch(why);
  });

  test("a path that WorktreeCreate prints is not used, and that is said", async () => {
    const { result, problems } = await create("echo /elsewhere/agent-1");
    expect(result).toBe(null);
    expect(problems).toEqual([
      expect.stringMatching(/printed a path \(\/elsewhere\/agent-1\)\. Troupe makes/),
    ]);
  });

  test("WorktreeRemove reads the path and refuses nothing", async () => {
    const { runner, caller, folder, messages } = hooksOf("WorktreeRemove", [
      { command: "cat > event.json; echo stay >&2; exit 2" },
    ]);
    await runner.worktreeRemove("/p/t", caller, never);
    expect(readBack(folder)).toMatchObject({ hook_event_name: "WorktreeRemove", worktree_path: "/p/t" });
    expect(messages).toEqual([expect.stringContaining("stay")]);
  });
});

describe("SessionStart", () => {
  test.each(["startup", "resume", "clear", "compact"] as const)("says that it is for %s", async (source) => {
    const entries = [{ command: "cat > event.json; echo hello", matcher: source }];
    const { runner, caller, folder } = hooksOf("SessionStart", entries);
    expect(await runner.sessionStart(source, caller, never)).toEqual({ context: "hello" });
    expect(readBack(folder)).toMatchObject({ hook_event_name: "SessionStart", source, model: "sonnet" });
    const other = hooksOf("SessionStart", entries);
    const another = source === "startup" ? "resume" : "startup";
    expect(await other.runner.sessionStart(another, other.caller, never)).toEqual({});
  });
});

test("a skill's hook with `once` runs once in a session, for the actors that use the skill", async () => {
  const skill = "/skills/s/SKILL.md";
  const command = "printf x >> runs; cat runs";
  const { runner, caller } = hooksOf("Stop", [{ command, once: true, skill }]);
  const stopping = { ...caller, continued: 0, lastText: "" };
  expect(await runner.stop(stopping, never)).toEqual({});
  expect(await runner.stop({ ...stopping, skills: [skill] }, never)).toEqual({ append: "x" });
  expect(await runner.stop({ ...stopping, skills: [skill] }, never)).toEqual({});
});

describe("for an agent on a runner (issue 22)", () => {
  const there = "/var/tmp/troupe/S/agent-X";
  const start = (event: HookEvent, command: string) => {
    const session = hooksOf(event, [{ command: `cat > event.json; ${command}` }]);
    const { folder } = session;
    return { ...session, caller: { ...session.caller, away: { runner: there, session: folder } } };
  };

  test("a SubagentStop hook reads the paths of this machine, and the agent those of its own", async () => {
    const { runner, caller, folder } = start("SubagentStop", 'echo "look at $PWD/a.ts" >&2; exit 2');
    const stopping = { ...caller, agentType: "Explore", continued: 0, lastText: `I wrote ${there}/a.ts.` };
    expect(await runner.stop(stopping, never)).toEqual({ goOn: `look at ${there}/a.ts` });
    expect(readBack(folder)).toMatchObject({
      cwd: folder,
      last_assistant_message: `I wrote ${folder}/a.ts.`,
    });
  });

  test("a PreToolUse hook that denies a call names the agent's own path", async () => {
    const { runner, caller, folder } = start("PreToolUse", 'echo "not $PWD/a.ts" >&2; exit 2');
    const call = { ...edit, input: { file_path: `${there}/a.ts` } };
    expect(await runner.preToolUse(call, caller, never)).toEqual({
      type: "deny",
      reason: `not ${there}/a.ts`,
    });
    expect(readBack(folder)).toMatchObject({ tool_input: { file_path: `${folder}/a.ts` } });
  });

  test("what an asynchronous hook says later has the agent's own paths", async () => {
    const session = hooksOf("PostToolUse", [
      { command: `printf '{"systemMessage":"%s/a.ts is wrong"}' "$PWD"`, async: true },
    ]);
    const caller = { ...session.caller, away: { runner: there, session: session.folder } };
    const end = { event: "PostToolUse", response: {} } as const;
    await session.runner.postToolUse(edit, end, caller, never);
    expect(await session.later()).toEqual([MAIN, "PostToolUse", `${there}/a.ts is wrong`, false]);
    expect(session.messages).toEqual([`${session.folder}/a.ts is wrong`]);
  });
});
