// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ActorId } from "../../../src/mailbox/ids.ts";
import { witness } from "../../processes/witness.ts";
import { type Entry, edit, never, printing, startHooks } from "./session.ts";

const hooksOf = startHooks();

async function pre(entries: readonly Entry[]) {
  const session = hooksOf("PreToolUse", entries);
  const result = await session.runner.preToolUse(edit, session.caller, never);
  return { ...session, result };
}

const decides = (permissionDecision: string, more: object = {}) =>
  printing({ hookSpecificOutput: { permissionDecision, ...more } });

test("a hook reads the call as one line of JSON on stdin (A5.4)", async () => {
  const { folder, result, eventsLeft } = await pre([
    { command: "cat > event.json; wc -l < event.json > lines", matcher: "Edit|Write" },
  ]);
  expect(result).toEqual({ type: "go" });
  expect(JSON.parse(readFileSync(join(folder, "event.json"), "utf8"))).toEqual({
    session_id: "s1",
    transcript_path: "/t/journal.jsonl",
    cwd: folder,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Edit",
    tool_input: edit.input,
    tool_use_id: "toolu_1",
  });
  expect(readFileSync(join(folder, "lines"), "utf8").trim()).toBe("1");
  expect(eventsLeft()).toEqual([]);
});

test("an agent's hook reads which agent calls (A5.13)", async () => {
  const { runner, caller, folder } = hooksOf("PreToolUse", [{ command: "cat > event.json" }]);
  const agent = { ...caller, owner: ActorId.parse("agent1"), agentType: "Explore", permissionMode: "plan" };
  await runner.preToolUse(edit, agent, never);
  expect(JSON.parse(readFileSync(join(folder, "event.json"), "utf8"))).toMatchObject({
    agent_id: "agent1",
    agent_type: "Explore",
    permission_mode: "plan",
  });
});

test("a hook knows the project's folder and no key", async () => {
  const command =
    'test -z "$ANTHROPIC_API_KEY" && test "$CLAUDE_PROJECT_DIR$TROUPE_PROJECT_DIR" = "$PWD$PWD"';
  expect((await pre([{ command: `${command} || exit 2` }])).result).toEqual({ type: "go" });
});

test("an event of 20 MB that a hook does not read delays nothing", async () => {
  const { runner, caller, problems, eventsLeft } = hooksOf("PreToolUse", [
    { command: "true" },
    { command: "wc -c" },
  ]);
  const call = { ...edit, input: { content: "x".repeat(20_000_000) } };
  expect(await runner.preToolUse(call, caller, never)).toEqual({ type: "go" });
  expect(problems).toEqual([]);
  expect(eventsLeft()).toEqual([]);
});

test("a hook runs for the tools its matcher names and for no others (A5.4)", async () => {
  const { runner, caller } = hooksOf("PreToolUse", [
    { command: "echo no >&2; exit 2", matcher: "Write|MultiEdit" },
  ]);
  expect(runner.has("PreToolUse", ["Write"])).toBe(true);
  expect(runner.has("PreToolUse", ["Read"])).toBe(false);
  expect(runner.has("PostToolUse", ["Write"])).toBe(false);
  // By another of its names.
  expect(await runner.preToolUse(edit, caller, never)).toEqual({ type: "deny", reason: "no" });
  expect(await runner.preToolUse({ ...edit, names: ["Read"] }, caller, never)).toEqual({ type: "go" });
});

describe("exit codes (A5.5, A22.21)", () => {
  test.each<[string, object, RegExp | null]>([
    ["exit 0", { type: "go" }, null],
    ["npm() { echo all is well; }; npm run lint:check", { type: "go" }, null],
    ["echo not here >&2; exit 2", { type: "deny", reason: "not here" }, null],
    ["exit 2", { type: "deny", reason: "A hook decided this without giving a reason." }, null],
    ["echo oh >&2; exit 1", { type: "go" }, /ended with exit code 1: oh; Troupe continues without it/],
    ["exit 77", { type: "go" }, /exit code 77;/],
    ["no-such-program-here", { type: "go" }, /could not be run \(exit code 127: .*no-such-program-here/],
    ["kill -KILL $$", { type: "go" }, /was killed \(SIGKILL\)/],
    ["sh -c 'kill -SEGV $$'; exit $?", { type: "go" }, /ended with exit code 139/],
  ])("%s", { tags: ["long"] }, async (command, expected, problem) => {
    const { result, problems } = await pre([{ command }]);
    expect(result).toEqual(expected);
    expect(problems).toEqual(problem === null ? [] : [expect.stringMatching(problem)]);
  });

  test.each([
    ["exit 1", "go"],
    ["exit 0", "go"],
    ["no-such-program-here", "deny"],
    ["kill -KILL $$", "deny"],
    ["kill -TERM $$; exit 0", "deny"],
    ["exec cat /dev/zero", "deny"],
    ["echo '{\"decision\": '", "deny"],
    ['echo \'{"decision": "perhaps"}\'', "deny"],
  ])("with failClosed: %s is %s", async (command, type) => {
    expect((await pre([{ command, failClosed: true }])).result.type).toBe(type);
    expect((await pre([{ command, scope: "enterprise" }])).result.type).toBe(type);
    expect((await pre([{ command, scope: "enterprise", failClosed: false }])).result.type).toBe("go");
  });

  test("each kind of fault is named once for each hook, with its file and what to do", async () => {
    const { runner, caller, problems } = hooksOf("PreToolUse", [
      { command: "exit 1" },
      { command: "  exit \t 3", scope: "enterprise" },
    ]);
    for (let n = 0; n < 3; n += 1) await runner.preToolUse(edit, caller, never);
    expect(problems).toEqual([
      'The PreToolUse hook "exit 1" (/settings/user.json) ended with exit code 1; Troupe continues without it. Correct the command, or remove the hook.',
      expect.stringContaining('hook "exit 3" (/settings/enterprise.json) ended with exit code'),
    ]);
  });
});

describe("a hook that misbehaves is bounded (fault 56)", () => {
  test("one that hangs is stopped, with all it started, even where it ignores TERM", {
    tags: ["long"],
  }, async () => {
    const { path, allGone } = witness();
    const hanging = `trap "" TERM; exec 3>"${path}"; echo ready >&3; sleep 1000 & sleep 1000; sleep 1000`;
    const { result, problems } = await pre([{ command: hanging, timeout: 0.2 }]);
    expect(result).toEqual({ type: "go" });
    expect(problems).toEqual([expect.stringContaining("did not end within 0.2 s and was stopped")]);
    await allGone;
  });

  test("one that hangs and must agree blocks", async () => {
    const { result } = await pre([{ command: "sleep 1000", timeout: 0.1, scope: "enterprise" }]);
    expect(result).toEqual({
      type: "deny",
      reason:
        "A hook that must agree did not end within 0.1 s and was stopped, so this is not done. The user has to correct the hook (/settings/enterprise.json).",
    });
  });

  test("one that floods is stopped, and nothing it printed counts", async () => {
    const { result, problems } = await pre([{ command: 'yes \'{"decision":"block"}\'' }]);
    expect(result).toEqual({ type: "go" });
    expect(problems).toEqual([expect.stringContaining("wrote more than 64 KB and was stopped")]);
  });

  test("a no stays a no, however much is written to stderr", async () => {
    const { result } = await pre([{ command: "yes no | head -c 1000000 >&2; exit 2" }]);
    expect(result).toMatchObject({ type: "deny", reason: expect.stringMatching(/^no\nno\n/) });
  });

  test("cancelling stops it and is a no", async () => {
    const { path, ready, allGone } = witness();
    const { runner, caller, problems, eventsLeft } = hooksOf("PreToolUse", [
      { command: `exec 3>"${path}"; echo ready >&3; exec sleep 1000` },
    ]);
    const cancel = new AbortController();
    const result = runner.preToolUse(edit, caller, cancel.signal);
    await ready;
    cancel.abort();
    expect(await result).toEqual({ type: "deny", reason: "It was cancelled while a hook looked at it." });
    await allGone;
    expect(problems).toEqual([]);
    expect(eventsLeft()).toEqual([]);
  });

  test("the end of its actor is a no as well", async () => {
    const { path, ready } = witness();
    const { runner, caller, processes } = hooksOf("PreToolUse", [
      { command: `exec 3>"${path}"; echo ready >&3; exec sleep 1000` },
    ]);
    const result = runner.preToolUse(edit, caller, never);
    await ready;
    await processes.stopOwner(caller.owner);
    expect((await result).type).toBe("deny");
  });
});

describe("plain stdout (A5.6, A22.11)", () => {
  const event = { hook_event_name: "PreToolUse", tool_input: { file_path: "/b" } };
  test.each([
    printing({ file_path: "/b" }),
    printing({ level: "info", msg: "checked" }),
    // The whole event, passed on.
    printing(event),
    "cat",
    "echo all is well",
    printing(["/b"]),
    printing("/b"),
    "echo null",
    "echo '{}'",
  ])("%s is not a hook response and rewrites nothing (issue 20, 8)", async (command) => {
    const { result, problems } = await pre([{ command }]);
    expect(result).toEqual({ type: "go" });
    expect(problems).toEqual([]);
  });

  test("invalid JSON is named and rewrites nothing", async () => {
    const { result, problems } = await pre([{ command: "echo '{\"file_path\": '" }]);
    expect(result).toEqual({ type: "go" });
    expect(problems).toEqual([expect.stringContaining("printed what begins like a JSON object and is none")]);
  });
});

describe("the JSON envelope (A22.11)", () => {
  test.each<[object, object]>([
    [
      { permissionDecision: "allow" },
      { decision: "allow", reason: "A hook decided this without giving a reason." },
    ],
    [
      { permissionDecision: "ask", permissionDecisionReason: "why" },
      { decision: "ask", reason: "why" },
    ],
    [
      { permissionDecision: "deny", permissionDecisionReason: "why" },
      { type: "deny", reason: "why" },
    ],
    [
      { updatedInput: { a: 1 }, additionalContext: "know this" },
      { input: { a: 1 }, context: "know this" },
    ],
    [{ hookEventName: "PreToolUse", updatedInput: { any: { thing: 1 } } }, { input: { any: { thing: 1 } } }],
  ])("hookSpecificOutput %j", async (own, expected) => {
    const { result, problems } = await pre([
      { command: printing({ hookSpecificOutput: own, suppressOutput: true }) },
    ]);
    expect(result).toEqual({ type: "go", ...expected });
    expect(problems).toEqual([]);
  });

  test.each([
    [
      { hookSpecificOutput: { updatedToolOutput: "x", additionalContext: "a" } },
      "hookSpecificOutput.updatedToolOutput",
    ],
    [
      { hookSpecificOutput: { sessionTitle: "x", reloadSkills: true } },
      "hookSpecificOutput.sessionTitle, hookSpecificOutput.reloadSkills",
    ],
    [{ hookSpecificOutput: { initialUserMessage: "x" } }, "hookSpecificOutput.initialUserMessage"],
    [{ continue: true, asyncTimeout: 5 }, "asyncTimeout"],
    [
      { hookSpecificOutput: { decision: { behavior: "allow", updatedPermissions: [] } } },
      "hookSpecificOutput.decision.updatedPermissions",
    ],
  ])("names each key that is not used here: %j (issue 20)", async (envelope, keys) => {
    const { result, problems } = await pre([{ command: printing(envelope) }]);
    expect(result.type).toBe("go");
    expect(problems).toEqual([
      expect.stringContaining(`printed ${keys}, which is not used here; the rest of it counts.`),
    ]);
  });

  test.each<[object, object]>([
    [
      { decision: "approve", reason: "fine" },
      { type: "go", decision: "allow", reason: "fine" },
    ],
    [
      { decision: "block", reason: "no" },
      { type: "deny", reason: "no" },
    ],
    [{ continue: true }, { type: "go" }],
    [
      { continue: false, stopReason: "enough" },
      { type: "deny", reason: "enough", stop: "enough" },
    ],
    [
      { continue: false, decision: "block", reason: "no" },
      { type: "deny", reason: "no", stop: "A hook ended it." },
    ],
    // One hook that says two things: the stricter one.
    [
      { decision: "approve", hookSpecificOutput: { permissionDecision: "deny" }, reason: "x" },
      { type: "deny", reason: "x" },
    ],
  ])("%j", { tags: ["long"] }, async (envelope, expected) => {
    expect((await pre([{ command: printing(envelope) }])).result).toEqual(expected);
  });

  test("a systemMessage is for the user", async () => {
    const { result, messages } = await pre([{ command: printing({ systemMessage: "hello" }) }]);
    expect(result).toEqual({ type: "go" });
    expect(messages).toEqual(["hello"]);
  });

  test("an unknown value is named with its path and decides nothing", async () => {
    const { result, problems } = await pre([{ command: decides("yes") }]);
    expect(result).toEqual({ type: "go" });
    expect(problems).toEqual([
      expect.stringContaining("hookSpecificOutput.permissionDecision must be allow, deny or ask"),
    ]);
  });
});

describe("several hooks", () => {
  test("run in parallel", async () => {
    const { path, ready } = witness();
    const meeting = { command: `mkfifo ${path}.a 2>/dev/null; echo x > ${path}.a`, timeout: 50 };
    const { result, problems } = await pre([
      { command: `mkfifo ${path}.a 2>/dev/null; read x < ${path}.a; echo met > ${path}`, timeout: 50 },
      meeting,
    ]);
    expect(await ready).toBe("met");
    expect(result).toEqual({ type: "go" });
    expect(problems).toEqual([]);
  });

  test.each([
    [["allow", "ask", "deny"], "deny", "2"],
    [["deny", "allow", "allow"], "deny", "0"],
    [["deny", "ask", "deny"], "deny", "0\n2"],
    [["allow", "ask", "allow"], "ask", "1"],
    [["allow", "allow", "allow"], "allow", "0\n1\n2"],
  ] as const)("%j is %s, whichever ends first", async (decisions, decision, reason) => {
    const entries = decisions.map((one, at) => ({
      command: `${at === 0 ? "sleep 0.1; " : ""}${decides(one, { permissionDecisionReason: `${at}` })}`,
    }));
    const expected = decision === "deny" ? { type: "deny", reason } : { type: "go", decision, reason };
    expect((await pre(entries)).result).toEqual(expected);
  });

  test("the last input in configured order counts, and contexts are joined in order", async () => {
    const gives = (updatedInput: object | undefined, additionalContext: string) =>
      printing({ hookSpecificOutput: { updatedInput, additionalContext } });
    const { result } = await pre([
      { command: `sleep 0.1; ${gives({ n: 1 }, "one")}` },
      { command: gives({ n: 2 }, "two") },
      { command: gives(undefined, "three") },
    ]);
    expect(result).toEqual({ type: "go", input: { n: 2 }, context: "one\ntwo\nthree" });
  });

  test("the same command in two files runs once, by the stricter one", async () => {
    const command = "echo x >> ran; exit 127";
    const { folder, result } = await pre([{ command }, { command, scope: "enterprise" }]);
    expect(readFileSync(join(folder, "ran"), "utf8")).toBe("x\n");
    expect(result.type).toBe("deny");
  });
});

test("an event that cannot be written is a failing of the hooks, and nothing rejects", async () => {
  const entries = [{ command: "true" }, { command: "exit 0", failClosed: true }];
  const inFile = hooksOf("PreToolUse", entries, "a-file/events");
  writeFileSync(join(inFile.folder, "a-file"), "");
  expect((await inFile.runner.preToolUse(edit, inFile.caller, never)).type).toBe("deny");
  expect(inFile.problems[0]).toMatch(
    /"true" .* was not run: what it should read could not be written \(ENOTDIR/,
  );

  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const { runner, caller, problems } = hooksOf("PreToolUse", entries);
  expect((await runner.preToolUse({ ...edit, input: circular }, caller, never)).type).toBe("deny");
  expect(problems).toHaveLength(2);
});
