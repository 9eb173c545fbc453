import { describe, expect, test } from "vitest";
import { ActorId } from "../../../src/mailbox/ids.ts";
import type { HookAnswer, HookModels, HookQuestion } from "../../../src/policy/hooks/model-hook.ts";
import { HOOK_AGENT } from "../../../src/policy/hooks/parse-hooks.ts";
import { type Entry, edit, never, startHooks } from "./session.ts";

const hooksOf = startHooks();

function modelsThat(answer: HookAnswer | (() => Promise<HookAnswer>)) {
  const asked: (HookQuestion & { readonly by: string })[] = [];
  const reply = (by: string) => async (question: HookQuestion) => {
    asked.push({ by, ...question });
    return typeof answer === "function" ? answer() : answer;
  };
  const models: HookModels = { ask: reply("ask"), check: reply("check") };
  return { models, asked };
}

const unloaded = () => {
  throw new Error("broken file");
};

const saying = (text: string) => modelsThat({ type: "reply", text });

async function pre(models: HookModels | null | (() => never), more: Partial<Entry> = {}) {
  const entry = { type: "prompt", prompt: "Is it safe? $ARGUMENTS", ...more } as const;
  const session = hooksOf("PreToolUse", [entry], undefined, models);
  return { ...session, result: await session.runner.preToolUse(edit, session.caller, never) };
}

describe("a hook of type prompt or agent (issue 20, 8)", () => {
  test.each(["prompt", "agent"] as const)("asks its model with the event in its prompt: %s", async (type) => {
    const { models, asked } = saying('{"ok": true}');
    const { result, folder } = await pre(models, { type, model: "haiku" });
    expect(result).toEqual({ type: "go" });
    expect(asked).toMatchObject([
      { by: type === "prompt" ? "ask" : "check", actor: "main", cwd: folder, model: "haiku" },
    ]);
    const [, input = ""] = asked[0]?.prompt.split("Is it safe? ") ?? [];
    expect(JSON.parse(input)).toMatchObject({ hook_event_name: "PreToolUse", tool_input: edit.input });
  });

  test("appends the event to a prompt without $ARGUMENTS", async () => {
    const { models, asked } = saying('{"ok": true}');
    await pre(models, { prompt: "Is it safe?" });
    expect(asked[0]?.prompt).toMatch(/^Is it safe\?\n\n\{"session_id":"s1"/);
  });

  test.each<[string, object]>([
    ['{"ok": false, "reason": "it deletes"}', { type: "deny", reason: "it deletes" }],
    ['```json\n{"ok": false, "reason": "it deletes"}\n```', { type: "deny", reason: "it deletes" }],
    ['{"ok": false}', { type: "deny", reason: "A model decided this without giving a reason." }],
    ['Certainly: {"ok": true}', { type: "go" }],
  ])("with %j", async (text, expected) => {
    expect((await pre(saying(text).models)).result).toEqual(expected);
  });

  test.each<[string, HookModels | null | (() => never), RegExp]>([
    ["there is no model", null, /needs a model, and this session has none/],
    ["the models cannot be loaded", unloaded, /has no answer: broken file/],
    [
      "the request fails",
      modelsThat({ type: "none", why: "has no answer: 529" }).models,
      /has no answer: 529/,
    ],
    ["it rejects", modelsThat(() => Promise.reject(new Error("gone"))).models, /has no answer: gone/],
    ["the answer is none", saying("I would say yes.").models, /got an answer that is not/],
    ["it is too slow", modelsThat(() => new Promise(() => {})).models, /did not end within 0.1 s/],
  ])("has a call asked for if %s, and says why", async (_, models, why) => {
    const { result, problems } = await pre(models, { timeout: 0.1 });
    expect(result).toMatchObject({ type: "go", decision: "ask", reason: expect.stringMatching(why) });
    expect(problems).toEqual([expect.stringMatching(/; the user is asked instead\./)]);
  });

  test.each([
    [true, { type: "deny" }],
    [false, { type: "go" }],
  ])("with failClosed %s and no model", async (failClosed, expected) => {
    const { result } = await pre(null, { failClosed });
    expect(result).toMatchObject(expected);
    expect(result).not.toHaveProperty("decision");
  });

  test("stops no prompt silently: without a model the prompt is not sent, and the user reads why", async () => {
    const { runner, caller } = hooksOf("UserPromptSubmit", [{ type: "prompt", prompt: "fine?" }]);
    expect(await runner.userPromptSubmit("hello", caller, never)).toMatchObject({
      ...{ type: "blocked", reason: expect.stringContaining("this session has none") },
    });
  });

  test("does not keep a conversation from ending if it has no model, and says so", async () => {
    const { runner, caller, problems } = hooksOf("Stop", [{ type: "agent", prompt: "done?" }]);
    expect(await runner.stop({ ...caller, continued: 0, lastText: "" }, never)).toEqual({});
    expect(problems).toEqual([expect.stringContaining("Troupe continues without it")]);
  });

  test("makes a conversation continue with its reason", async () => {
    const { models } = saying('{"ok": false, "reason": "run the tests"}');
    const entries = [{ type: "agent", prompt: "tested?" }] as const;
    const { runner, caller } = hooksOf("Stop", entries, undefined, models);
    const stopping = { ...caller, continued: 0, lastText: "" };
    expect(await runner.stop(stopping, never)).toEqual({ goOn: "run the tests" });
  });

  test("is a no if it is cancelled, and no problem", async () => {
    const cancel = new AbortController();
    const { models } = modelsThat(async () => {
      cancel.abort();
      return { type: "none", why: "has no answer: The request was cancelled." };
    });
    const { runner, caller, problems } = hooksOf(
      "PreToolUse",
      [{ type: "prompt", prompt: "fine?" }],
      undefined,
      models,
    );
    expect(await runner.preToolUse(edit, caller, cancel.signal)).toEqual({
      ...{ type: "deny", reason: "It was cancelled while a hook looked at it." },
    });
    expect(problems).toEqual([]);
  });

  test("gives no permission: its yes leaves a question to the user", async () => {
    const entries = [{ type: "prompt", prompt: "fine?" }] as const;
    const { models } = saying('{"ok": true}');
    const { runner, caller } = hooksOf("PermissionRequest", entries, undefined, models);
    expect(await runner.permissionRequest(edit, [], caller, never)).toEqual({ type: "none" });
  });

  test("does not run for the agents that hooks start", async () => {
    const { models, asked } = saying('{"ok": false}');
    const entries = [{ type: "agent", prompt: "fine?" }] as const;
    const { runner, caller } = hooksOf("SubagentStop", entries, undefined, models);
    const own = { ...caller, owner: ActorId.parse("agent1"), agentType: HOOK_AGENT };
    expect(await runner.stop({ ...own, continued: 0, lastText: "" }, never)).toEqual({});
    expect(asked).toEqual([]);
  });
});
