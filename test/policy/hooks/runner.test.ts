// @module-tag long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ActorId } from "../../../src/mailbox/ids.ts";
import { combineDecisions, type HookDecision } from "../../../src/policy/hooks/hook-decision.ts";
import { hookRunner, MAX_CONTINUED } from "../../../src/policy/hooks/hook-runner.ts";
import { type HookEvent, hookEvents } from "../../../src/settings/hook-events.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type Entry, edit, never, printing, startHooks } from "./session.ts";

const hooksOf = startHooks();

/** The event as the hook read it. */
const readBack = (folder: string) => JSON.parse(readFileSync(join(folder, "event.json"), "utf8"));
const recording = (then = "true") => [{ command: `cat > event.json; ${then}` }];

describe("PostToolUse (A5.8)", () => {
  const post = async (entries: readonly Entry[]) => {
    const session = hooksOf("PostToolUse", entries);
    const result = await session.runner.postToolUse(
      edit,
      { event: "PostToolUse", response: { filePath: "/a" } },
      session.caller,
      never,
    );
    return { ...session, result };
  };

  test("a hook reads call and result, and what it prints is appended", async () => {
    const { result, folder } = await post(recording("echo formatted"));
    expect(result).toEqual({ append: "formatted" });
    expect(readBack(folder)).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_name: "Edit",
      tool_input: edit.input,
      tool_response: { filePath: "/a" },
    });
  });

  test("a call that failed has hooks of its own, which read why (A5.8)", async () => {
    const failed = { event: "PostToolUseFailure", error: "no such file", interrupted: false } as const;
    const session = hooksOf("PostToolUseFailure", recording("echo look elsewhere"));
    const result = await session.runner.postToolUse(edit, failed, session.caller, never);
    expect(result).toEqual({ append: "look elsewhere" });
    const read = readBack(session.folder);
    expect(read).toMatchObject({ hook_event_name: "PostToolUseFailure", error: "no such file" });
    expect(read).toMatchObject({ is_interrupt: false, tool_input: edit.input });
    expect(read).not.toHaveProperty("tool_response");
    const other = hooksOf("PostToolUse", recording("echo never"));
    expect(await other.runner.postToolUse(edit, failed, other.caller, never)).toEqual({});
  });

  test.each<[string, object]>([
    ["true", {}],
    ["echo '{\"errors\": 2}'", { append: '{"errors": 2}' }],
    [printing({ hookSpecificOutput: { additionalContext: "know" } }), { append: "know" }],
    [printing({ decision: "block", reason: "does not compile" }), { block: "does not compile" }],
    ["echo does not compile >&2; exit 2", { block: "does not compile" }],
    [printing({ continue: false, stopReason: "enough" }), { stop: "enough" }],
    ["exit 1", {}],
    ["exec sleep 1000", {}],
  ])("%s", async (command, expected) => {
    expect((await post([{ command, timeout: command.startsWith("exec") ? 0.1 : 60 }])).result).toEqual(
      expected,
    );
  });

  test("joins what several hooks print in configured order, matched like PreToolUse", async () => {
    const entries = [
      { command: "sleep 0.1; echo one" },
      { command: "echo never", matcher: "Read" },
      { command: "echo two", matcher: "Edit|Write" },
    ];
    expect((await post(entries)).result).toEqual({ append: "one\ntwo" });
  });

  test("a flood is cut at 64 KB and named; its beginning is kept", async () => {
    const { result, problems } = await post([{ command: "yes" }]);
    expect(result.append).toMatch(/^(?:y\n){32000,32768}y?$/);
    expect(problems).toEqual([expect.stringContaining("wrote more than 64 KB")]);
  });

  test("broken JSON is named, and appended as the text it is", async () => {
    const { result, problems } = await post([{ command: "echo '{ broken'" }]);
    expect(result).toEqual({ append: "{ broken" });
    expect(problems).toHaveLength(1);
  });

  test("failClosed is no business of a hook that decides nothing", async () => {
    expect((await post([{ command: "kill -KILL $$", failClosed: true }])).result).toEqual({});
  });
});

describe("UserPromptSubmit (A5.9)", () => {
  test.each<[string, object]>([
    ["echo more to know", { type: "go", context: "more to know" }],
    [printing({ hookSpecificOutput: { additionalContext: "know" } }), { type: "go", context: "know" }],
    [printing({ prompt: "do it well" }), { type: "go", prompt: "do it well" }],
    [printing({ hookSpecificOutput: { updatedPrompt: "do it" } }), { type: "go", prompt: "do it" }],
    [printing({ prompted: 1 }), { type: "go", context: '{"prompted":1}' }],
    ["echo not on fridays >&2; exit 2", { type: "blocked", reason: "not on fridays" }],
    [printing({ decision: "block", reason: "no" }), { type: "blocked", reason: "no" }],
    [printing({ continue: false, stopReason: "no" }), { type: "blocked", reason: "no" }],
    ["true", { type: "go" }],
  ])("%s", async (command, expected) => {
    const { runner, caller, folder } = hooksOf("UserPromptSubmit", recording(command));
    expect(await runner.userPromptSubmit("do it", caller, never)).toEqual(expected);
    expect(readBack(folder)).toMatchObject({ hook_event_name: "UserPromptSubmit", prompt: "do it" });
  });

  test("a matcher makes no difference, and a hook that must agree can be waited for in vain", async () => {
    const entry = { command: "exec sleep 1000", timeout: 0.1, failClosed: true, matcher: "Edit" };
    const { runner, caller } = hooksOf("UserPromptSubmit", [entry]);
    expect((await runner.userPromptSubmit("do it", caller, never)).type).toBe("blocked");
  });
});

describe("Stop and SubagentStop (A5.10)", () => {
  test.each<[string, object]>([
    ["true", {}],
    ["echo well done", { append: "well done" }],
    ["echo run the tests >&2; exit 2", { goOn: "run the tests" }],
    [printing({ decision: "block", reason: "run the tests" }), { goOn: "run the tests" }],
    [printing({ decision: "block", reason: "go on", continue: false }), {}],
    [printing({ decision: "approve" }), {}],
    ["exit 1", {}],
  ])("%s", async (command, expected) => {
    const { runner, caller } = hooksOf("Stop", [{ command }]);
    expect(await runner.stop({ ...caller, continued: 0, lastText: "done" }, never)).toEqual(expected);
  });

  test("a hook that looks at stop_hook_active makes an actor continue exactly once", async () => {
    const { runner, caller } = hooksOf("Stop", [
      { command: "grep -q '\"stop_hook_active\":true' || { echo once more >&2; exit 2; }" },
    ]);
    const stopping = { ...caller, lastText: "done" };
    expect(await runner.stop({ ...stopping, continued: 0 }, never)).toEqual({ goOn: "once more" });
    expect(await runner.stop({ ...stopping, continued: 1 }, never)).toEqual({});
  });

  test("one that does not look at it is heeded at most five times", async () => {
    const { runner, caller, problems } = hooksOf("Stop", [{ command: "echo more >&2; exit 2" }]);
    let continued = 0;
    while (continued < 100 && (await runner.stop({ ...caller, continued, lastText: "" }, never)).goOn)
      continued += 1;
    expect(continued).toBe(MAX_CONTINUED);
    expect(problems).toEqual([expect.stringContaining("continue 5 times in a row")]);
  });

  test("does not make a cancelled actor continue", async () => {
    const { runner, caller } = hooksOf("Stop", [{ command: "echo more >&2; exit 2" }]);
    expect(await runner.stop({ ...caller, continued: 0, lastText: "" }, AbortSignal.abort())).toEqual({});
  });

  test("an agent's end is matched by its type", async () => {
    const { runner, caller, folder } = hooksOf("SubagentStop", [
      { command: "cat > event.json; echo deeper >&2; exit 2", matcher: "Explore" },
    ]);
    const agent = { ...caller, owner: ActorId.parse("agent1"), continued: 0, lastText: "found" };
    expect(await runner.stop({ ...agent, agentType: "Plan" }, never)).toEqual({});
    expect(await runner.stop({ ...agent, agentType: "Explore" }, never)).toEqual({ goOn: "deeper" });
    expect(readBack(folder)).toMatchObject({
      hook_event_name: "SubagentStop",
      agent_id: "agent1",
      agent_type: "Explore",
      stop_hook_active: false,
      last_assistant_message: "found",
    });
  });
});

describe("the other events", () => {
  test("SessionStart gives the model something to know, and is matched by the source", async () => {
    const { runner, caller, folder } = hooksOf("SessionStart", [
      { command: "cat > event.json; echo it is monday", matcher: "startup|resume" },
    ]);
    expect(await runner.sessionStart("clear", caller, never)).toEqual({});
    expect(await runner.sessionStart("startup", caller, never)).toEqual({ context: "it is monday" });
    expect(readBack(folder)).toMatchObject({ hook_event_name: "SessionStart", source: "startup" });
  });

  test("SessionEnd runs once, however often it is called (A5.11)", async () => {
    const { runner, caller, folder } = hooksOf("SessionEnd", [{ command: "cat >> event.json" }]);
    const [one, two] = [runner.sessionEnd("exit", caller, never), runner.sessionEnd("fault", caller, never)];
    await Promise.all([one, two]);
    expect(readBack(folder)).toMatchObject({ hook_event_name: "SessionEnd", reason: "exit" });
  });

  test("PreCompact and Notification say what they are about", async () => {
    const compact = hooksOf("PreCompact", recording("echo keep the plan"));
    expect(await compact.runner.preCompact("auto", "be brief", compact.caller, never)).toEqual({
      context: "keep the plan",
    });
    expect(readBack(compact.folder)).toMatchObject({ trigger: "auto", custom_instructions: "be brief" });
    const against = hooksOf("PreCompact", recording("echo not now >&2; exit 2"));
    expect(await against.runner.preCompact("manual", "", against.caller, never)).toEqual({
      block: "not now",
    });

    const notes = hooksOf("Notification", recording());
    await notes.runner.notification("permission_prompt", "Bash wants to run", notes.caller, never);
    expect(readBack(notes.folder)).toMatchObject({
      message: "Bash wants to run",
      notification_type: "permission_prompt",
    });
  });
});

test.each(hookEvents)(
  "without hooks %s starts no process and makes no directory",
  async (event: HookEvent) => {
    const { runner, caller, eventsLeft } = hooksOf("Stop", []);
    expect(runner.has(event, ["Edit"])).toBe(false);
    expect(await runner.preToolUse(edit, caller, never)).toEqual({ type: "go" });
    expect(await runner.postToolUse(edit, { event: "PostToolUse", response: {} }, caller, never)).toEqual({});
    expect(await runner.userPromptSubmit("", caller, never)).toEqual({ type: "go" });
    expect(await runner.stop({ ...caller, continued: 0, lastText: "" }, never)).toEqual({});
    await runner.sessionEnd("exit", caller, never);
    expect(eventsLeft).toThrow(/ENOENT/);
  },
);

test("a process host that never answers is given up", async () => {
  const session = hooksOf("PreToolUse", [{ command: "true", failClosed: true }]);
  const clock = new FakeClock();
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const runner = hookRunner({
    ...session.ports,
    clock,
    run: (_, signal) => {
      asked.resolve(signal);
      return new Promise(() => {});
    },
  });
  const result = runner.preToolUse(edit, session.caller, never);
  const signal = await asked.promise;
  await clock.advance(620_000);
  expect(await result).toMatchObject({ type: "deny", reason: expect.stringContaining("within 600 s") });
  expect(signal?.aborted).toBe(true);
  expect(clock.pending).toBe(0);
});

describe("opinions of several hooks", () => {
  const opinion: fc.Arbitrary<HookDecision> = fc.record(
    {
      verdict: fc.constantFrom("allow", "ask", "block"),
      reason: fc.string({ minLength: 1 }),
      input: fc.record({ n: fc.nat() }),
      text: fc.string({ minLength: 1 }),
    },
    { requiredKeys: [] },
  );

  test("one no is a no, and only what all are for is allowed without a question", () => {
    fc.assert(
      fc.property(fc.array(opinion), (opinions) => {
        const { verdict } = combineDecisions(opinions);
        const verdicts = opinions.flatMap((one) => one.verdict ?? []);
        const strictest = (["block", "ask", "allow"] as const).find((one) => verdicts.includes(one));
        expect(verdict).toBe(strictest);
      }),
      { seed: 5 },
    );
  });

  test("hooks that say nothing change nothing, wherever they stand", () => {
    fc.assert(
      fc.property(fc.array(opinion), fc.nat(), (opinions, at) => {
        expect(combineDecisions(opinions.toSpliced(at, 0, {}))).toEqual(combineDecisions(opinions));
      }),
      { seed: 6 },
    );
  });
});

test("hooks that change while the session runs count from the next event on", async () => {
  const none = hooksOf("PreToolUse", []);
  const some = hooksOf("PreToolUse", [{ command: "exit 2" }]);
  let hooks = none.ports.hooks;
  const runner = hookRunner({
    ...some.ports,
    get hooks() {
      return hooks;
    },
  });
  expect((await runner.preToolUse(edit, some.caller, never)).type).toBe("go");
  hooks = some.ports.hooks;
  expect((await runner.preToolUse(edit, some.caller, never)).type).toBe("deny");
});
