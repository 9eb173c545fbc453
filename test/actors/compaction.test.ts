import { describe, expect, onTestFinished, test } from "vitest";
import { AgentConversation } from "../../src/actors/agent-state.ts";
import { leasingHost } from "../../src/actors/leasing-host.ts";
import { boundsIn } from "../../src/context/compaction/compact.ts";
import { tokensOfMessages } from "../../src/context/compaction/tokens.ts";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import { blocksOf, conversationOf } from "../../src/mailbox/turns.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { inThreadHost } from "../support/in-thread-host.ts";
import { seededScheduler } from "../support/scheduler.ts";
import { everyDayHosts, type HostName, seeded } from "../support/supervised.ts";
import {
  counted,
  countingModel,
  failure,
  isSummaryRequest,
  reply,
  run,
  small,
  spec,
  TASK,
  textIn,
  tokensIn,
} from "./compacting-world.ts";

function hostOf(name: HostName) {
  const host =
    name === "in-thread" ? inThreadHost(seededScheduler(seeded(3))) : leasingHost({ onFault: () => {} });
  onTestFinished(() => host.close());
  return host;
}
const inThread = () => hostOf("in-thread");

/** What every request must be: roles in turn, each call with its result right behind it, none without a call. */
function complaint(messages: readonly MessageParam[]): string | null {
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role !== (at % 2 === 0 ? "user" : "assistant")) return `message ${at} is of ${message.role}`;
    const blocks = blocksOf(message);
    if (blocks.length === 0) return `message ${at} is empty`;
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    if (results.join() !== open.join()) return `message ${at} has the results ${results} for ${open}`;
    open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  }
  return messages.at(-1)?.role === "user" ? null : "the last word is the model's";
}

describe.each(everyDayHosts)("a conversation in a small window, %s", (name) => {
  test("2,000 turns in 20,000 tokens: each request fits and is whole, and the task is in each (C24, A19.2)", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    const wrong: string[] = [];
    let requests = 0;
    let summaries = 0;
    const model = countingModel(2_000, (request) => {
      requests += 1;
      if (isSummaryRequest(request)) summaries += 1;
      const why = complaint(request.messages);
      if (why !== null) wrong.push(why);
      if (tokensIn(request) + request.maxTokens > 20_000) wrong.push(`${tokensIn(request)} tokens`);
      if (!textIn(request.messages.slice(0, 1)).includes("heliotrope")) wrong.push("the task is gone");
      if (request.system.join() !== "You count.") wrong.push("the role is gone");
      return null;
    });
    const done = await run({ host: hostOf(name), model, result: (turn) => `${turn} `.repeat(60) });
    expect(wrong).toEqual([]);
    expect(done.summary).toMatchObject({ status: "done", text: "The end at 2000.", turns: 2_001 });
    expect(summaries).toBeGreaterThan(5);
    expect(requests).toBe(2_001 + summaries);
    // What the model was shown last is short; what happened is all there.
    expect(done.turns).toHaveLength(2_001);
  });
});

test("compacts before the next call at the threshold, not one token below it (A19.1)", async () => {
  const { limit } = boundsIn(new AgentConversation(spec));
  const result: MessageParam = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "use_4_0", content: "ok" }],
  };
  for (const [short, summaries] of [
    [1, 0],
    [0, 1],
  ] as const) {
    let asked = 0;
    const input_tokens = limit - short - tokensOfMessages([result]) - 20;
    const model = countingModel(5, (request) => {
      if (isSummaryRequest(request)) asked += 1;
      else if (counted(request) === 3) {
        const usage = { cache_read_input_tokens: input_tokens - 5, input_tokens: 5, output_tokens: 20 };
        return reply({ text: "turn 4", calls: [{ turn: 4 }] }, usage);
      } else if (counted(request) === 4) return reply({ text: "end" }, { input_tokens: 10 });
      return null;
    });
    const done = await run({ host: inThread(), model });
    expect(done.summary?.status).toBe("done");
    expect(asked).toBe(summaries);
  }
});

test("elides long results of old turns first: no summary, a file named to read them again, the same bytes from then on (A19.3)", async () => {
  const requests: ModelRequest[] = [];
  const model = countingModel(9, (request) => void requests.push(request));
  const done = await run({ host: inThread(), model, result: (turn) => `${turn}:${"x".repeat(9_000)}` });
  expect(done.summary?.status).toBe("done");
  expect(requests.filter(isSummaryRequest)).toEqual([]);
  const [first] = done.ends;
  expect(first?.compacted).toMatchObject({ messages: [], through: 0, failures: 0 });
  const elided = first?.compacted?.elided ?? 0;
  expect(elided).toBeGreaterThan(0);
  const after = requests.find(({ messages }) => textIn(messages).includes("was taken out")) ?? never();
  expect(textIn(after.messages)).toContain("/kept/main.1.0.md");
  expect(complaint(after.messages)).toBeNull();
  // The newest three stay as they were.
  const turns = done.turns.filter(({ turn }) => turn <= counted(after)).slice(-3);
  expect(after.messages.slice(-6)).toEqual(conversationOf([], turns));
  const next = requests[requests.indexOf(after) + 1] ?? never();
  expect(next.messages.slice(0, after.messages.length)).toEqual(after.messages);
});

test("a model that calls a tool in place of its summary is asked again, and may call none then (A19.2)", async () => {
  const asked: ModelRequest[] = [];
  const model = countingModel(40, (request) => {
    if (!isSummaryRequest(request)) return null;
    asked.push(request);
    return request.wordsAlone ? reply({ calls: [{ turn: 0 }] }, { output_tokens: 7 }) : null;
  });
  const done = await run({
    ...{ host: inThread(), model, from: { ...spec, effort: "low", window: small(6_000) } },
    result: (turn) => `${turn} `.repeat(100),
  });
  expect(done.summary).toMatchObject({ status: "done", text: "The end at 40." });
  expect(asked.length).toBeGreaterThan(1);
  for (const [n, request] of asked.entries()) expect(request.wordsAlone).toBe(n % 2 === 0 ? true : undefined);
  // How much the model thinks is part of what the API has cached.
  expect(asked.every(({ effort }) => effort === "low")).toBe(true);
  expect(done.compacted?.usage.output_tokens).toBe((asked.length / 2) * (7 + 20));
});

test("replaces old turns by a summary; the task and the user's messages stay, the newest turns are the same bytes (A19.2, A19.4)", async () => {
  const requests: ModelRequest[] = [];
  const model = countingModel(40, (request) => void requests.push(request));
  const done = await run({
    host: inThread(),
    model,
    from: { ...spec, window: small(6_000) },
    result: (turn) => `${turn} `.repeat(100),
    steer: (turn) =>
      turn === 1
        ? [{ text: "A server's instructions.", system: true }]
        : turn === 2
          ? [{ text: "In French, please." }]
          : turn === 3
            ? [{ text: "<news>", notice: true }]
            : [],
  });
  expect(done.summary?.status).toBe("done");
  const at = requests.findIndex(isSummaryRequest);
  const [before, asked, after] = [requests[at - 1], requests[at], requests[at + 1]];
  if (!before || !asked || !after) return never();
  expect(asked).toMatchObject({ withoutTools: true, wordsAlone: true, system: before.system });
  expect(asked.system.at(-1)).toBe("A server's instructions.");
  expect(asked.tools).toEqual(before.tools);
  // A prefix of what was sent before, so that the cache serves it.
  expect(before.messages.slice(0, asked.messages.length - 1)).toEqual(asked.messages.slice(0, -1));
  const [first] = after.messages;
  const words = textIn(first ? [first] : []);
  for (const part of [TASK, "Notes: counted to", "In French, please."]) expect(words).toContain(part);
  expect(words).not.toContain("<news>");
  const kept = done.turns.filter(
    ({ turn }) => turn > (done.ends[0]?.compacted?.through ?? 0) && turn <= counted(after),
  );
  expect(kept.length).toBeGreaterThan(0);
  expect(after.messages.slice(1)).toEqual(conversationOf([], kept));
});

test("keeps the messages that asked for the current work, however old they are", async () => {
  const requests: ModelRequest[] = [];
  const model = countingModel(120, (request) => void requests.push(request));
  await run({
    host: inThread(),
    model,
    from: { ...spec, window: small(5_000) },
    result: (turn) => `${turn} `.repeat(80),
    steer: (turn) => (turn === 1 ? [{ text: "Now the second task: melons." }] : []),
  });
  const later = requests.filter((request) => counted(request) > 1);
  expect(later.every(({ messages }) => textIn(messages).includes("second task: melons"))).toBe(true);
});

test("an answer that does not come, is empty or refused leaves the history as it was, is tried again and then left (fault 66)", async () => {
  const bad = [
    failure("server", "The summary is not to be had."),
    reply({ text: "" }, { input_tokens: 7 }),
    reply({ text: "no" }, { input_tokens: 7 }, "refusal"),
  ];
  let asked = 0;
  const requests: ModelRequest[] = [];
  const model = countingModel(400, (request) => {
    if (isSummaryRequest(request)) return bad[asked++ % 3];
    requests.push(request);
    return null;
  });
  const done = await run({
    host: inThread(),
    model,
    from: { ...spec, window: small(6_000) },
    result: (turn) => `${turn} `.repeat(100),
  });
  expect(asked).toBe(3);
  expect(done.ends.map(({ reason }) => typeof reason)).toEqual(["string", "string", "string"]);
  // Not one byte of it was changed.
  const last = requests.at(-1)?.messages ?? [];
  for (const { messages } of requests.slice(0, -1)) expect(last.slice(0, messages.length)).toEqual(messages);
  expect(done.summary).toMatchObject({ status: "partial" });
  expect(done.summary?.text).toContain("The end at");
  expect(done.summary?.reason).toMatch(/no longer fits into the context window of scripted/);
  expect(done.compacted).toMatchObject({ messages: [], through: 0, failures: 3 });
  // The empty ones were paid for.
  expect(done.compacted?.usage.input_tokens).toBe(14);
});

test("does not compact if a hook blocks it, and tries again later", async () => {
  let asked = 0;
  const model = countingModel(400, (request) => {
    if (isSummaryRequest(request)) throw new Error("nobody may ask for a summary");
    return null;
  });
  const done = await run({
    host: inThread(),
    model,
    from: { ...spec, window: small(6_000) },
    result: (turn) => `${turn} `.repeat(100),
    hook: () => {
      asked += 1;
      return { type: "blocked", reason: "Busy." };
    },
  });
  expect(asked).toBe(3);
  expect(done.ends[0]?.reason).toBe("A PreCompact hook is against it: Busy.");
  expect(done.summary?.status).toBe("partial");
});

describe("a server that finds the conversation too large (fault 8)", () => {
  const tooLong = failure(
    "too_large",
    "The conversation is too large for scripted at h (400): prompt is too long: 9000 tokens > 5000 maximum.",
  );

  test("gets a compacted one, once, and never the same again; its reported window is remembered", async () => {
    const bodies: string[] = [];
    const model = countingModel(60, (request) => {
      bodies.push(textIn(request.messages));
      return tokensIn(request) > 5_000 ? tooLong : null;
    });
    const done = await run({ host: inThread(), model, result: (turn) => `${turn} `.repeat(100) });
    expect(done.summary).toMatchObject({ status: "done", text: "The end at 60." });
    expect(new Set(bodies).size).toBe(bodies.length);
    expect(done.compacted?.window).toBe(5_000);
    expect(bodies.filter((body) => body.length / 4 > 5_000)).toHaveLength(1);
  });

  test("that says so of whatever it gets: partial, in a sentence, with what was said", async () => {
    let asked = 0;
    const model = countingModel(60, (request) => {
      asked += 1;
      return counted(request) >= 10 ? tooLong : null;
    });
    const done = await run({ host: inThread(), model, result: () => "x".repeat(900) });
    expect(done.summary).toMatchObject({ status: "partial", text: "turn 10" });
    expect(done.summary?.reason).toMatch(/too large for scripted/);
    expect(asked).toBeLessThan(15);
  });

  test("of a first request of which nothing can go: failed, and asked once", async () => {
    let asked = 0;
    const model = countingModel(60, () => {
      asked += 1;
      return tooLong;
    });
    const done = await run({ host: inThread(), model });
    expect(done.summary).toMatchObject({ status: "failed" });
    expect(asked).toBe(1);
  });

  test("in the middle of its reply: the reply is requested again, and the lost one is paid for", async () => {
    let lost = 0;
    const model = countingModel(30, (request) => {
      if (counted(request) !== 20 || isSummaryRequest(request) || lost > 0) return null;
      lost += 1;
      return reply({ text: "half a" }, { input_tokens: 1_000 }, "model_context_window_exceeded");
    });
    const done = await run({ host: inThread(), model, result: (turn) => `${turn} `.repeat(100) });
    expect(done.summary).toMatchObject({ status: "done", text: "The end at 30." });
    expect(done.compacted?.usage.input_tokens).toBeGreaterThan(1_000);
  });
});

test("results too long for the window, even of the newest turn, are read in parts instead", async () => {
  const requests: ModelRequest[] = [];
  const model = countingModel(6, (request) => void requests.push(request));
  const done = await run({ host: inThread(), model, result: () => "y".repeat(90_000) });
  expect(done.summary?.status).toBe("done");
  expect(requests.every((request) => tokensIn(request) < 20_000)).toBe(true);
});

test("keeps the beginning of the newest turn's results, even if they do not fit beside what is always sent", async () => {
  const requests: ModelRequest[] = [];
  const model = countingModel(6, (request) => void requests.push(request));
  const from = { ...spec, system: ["s".repeat(62_000)] };
  const result = (turn: number) => `${turn} begins ${"y".repeat(90_000)}`;
  const done = await run({ host: inThread(), model, from, result });
  expect(done.summary?.status).toBe("done");
  const results = requests.filter((request) => !isSummaryRequest(request)).slice(1);
  expect(results).toHaveLength(6);
  for (const request of results) expect(textIn(request.messages)).toContain(`${counted(request)} begins yyy`);
  expect(textIn(results.flatMap(({ messages }) => messages))).toContain("Only its beginning is left here");
});

test("compacts nothing by itself if disabled", async () => {
  const requests: ModelRequest[] = [];
  const model = countingModel(20, (request) => void requests.push(request));
  const window = { ...small(3_000), auto: false };
  const done = await run({
    host: inThread(),
    model,
    from: { ...spec, window },
    result: () => "x".repeat(2_000),
  });
  expect(done.summary?.status).toBe("done");
  expect(done.ends).toEqual([]);
});

function never(): never {
  throw new Error("This request was expected.");
}
