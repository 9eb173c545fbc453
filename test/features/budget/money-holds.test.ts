import { expect, onTestFinished, test } from "vitest";
import type { Usage } from "../../../src/mailbox/conversation.ts";
import { noUsage } from "../../../src/mailbox/conversation.ts";
import type { ModelClient, ModelOutcome, ModelRequest } from "../../../src/model/client.ts";
import { costOf } from "../../../src/model/known-models.ts";
import { long } from "../../support/long.ts";
import { startMessagesServer } from "../../support/messages-server.ts";
import { seeded, supervised } from "../../support/supervised.ts";
import { start, TICK, tick } from "./coins.ts";

const MODEL = "claude-opus-5";

/** What a prompt has in bytes, by a count of its own. */
function bytesIn(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + bytesIn(inner), 0);
}

/** A server that sends a bill of its own, also for replies that break off, and serves from its cache when it likes. */
function billing(random: () => number) {
  const bill = { usd: 0, requests: 0, most: 0 };
  const below = (most: number) => Math.floor(random() * most);
  const client: ModelClient = {
    name: "billing",
    async ask(request) {
      bill.requests += 1;
      bill.most = Math.max(bill.most, request.maxTokens);
      await new Promise((resolve) => setImmediate(resolve));
      if (below(8) === 0) return { type: "failure", failure: { kind: "overloaded", message: "Busy." } };
      const { system, tools, messages } = request;
      const prompt = Math.ceil(bytesIn([system, tools, messages]) * (0.2 + 0.8 * random()));
      const cached = below(3) === 0 ? 0 : below(prompt);
      const usage: Usage = {
        ...noUsage,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: prompt - cached,
        output_tokens: below(4) === 0 ? request.maxTokens : below(request.maxTokens),
      };
      bill.usd += costOf(MODEL, usage).usd;
      if (below(6) === 0)
        return { type: "failure", failure: { kind: "connection", message: "It broke off.", usage } };
      return replyOf(request, usage);
    },
  };
  const replyOf = (request: ModelRequest, usage: Usage): ModelOutcome => {
    const what = request.withoutTools ? 0 : below(6);
    const mayStart = request.tools.some(({ name }) => name === "Agent");
    const size = 10 ** (1 + below(4));
    const calls =
      what === 0
        ? []
        : what < 4 || !mayStart
          ? [TICK]
          : [1, 2, 3].map((n) => start("worker", "x".repeat(size + n)));
    return {
      type: "reply",
      reply: {
        content: [
          { type: "text", text: "y".repeat(below(2_000) + 1), citations: null },
          ...calls.map(({ name, input }, at) => ({
            ...{ type: "tool_use" as const, id: `t_${bill.requests}_${at}`, name, input },
            caller: { type: "direct" as const },
          })),
        ],
        ...{ stopReason: calls.length > 0 ? "tool_use" : "end_turn", usage, model: MODEL, apiMs: 1 },
      },
    };
  };
  return { bill, client };
}

test.each(Array.from({ length: long(40, 10) }, (_, run) => run + 1))(
  "what a server bills never passes the limit: any number of agents, any sizes and order, with retries, run %i (D5)",
  { tags: ["long"] },
  async (run) => {
    const random = seeded(run * 104_729);
    const usd = 0.05 + random() * 3;
    const { bill, client } = billing(random);
    const { supervisor } = supervised("in-thread", [], {
      source: { provider: "client", client },
      ...{ model: MODEL, budget: { usd }, tools: [tick], quoteAboveUsd: 1_000_000 },
      agents: [{ name: "worker", whenToUse: "never", prompt: "You work.", tools: ["Tick", "Agent"] }],
      limits: { maxDepth: 3, maxTurns: 8, maxAgentsPerSession: 30, patienceMs: 60_000 },
      clock: quick,
    });
    await supervisor.prompt("go");
    await supervisor.close();
    expect(bill.requests).toBeGreaterThan(0);
    expect(bill.usd).toBeLessThanOrEqual(usd);
    expect(supervisor.usage().costUsd).toBeCloseTo(bill.usd, 5);
  },
);

/** Waits are over soon; nothing of what is tested is a matter of time. */
const quick = {
  now: () => performance.now(),
  date: () => new Date().toISOString(),
  after(ms: number, call: () => void) {
    const timer = setTimeout(call, Math.min(ms, 2 ** 31 - 1) / (ms < 60_000 ? 1_000 : 1));
    return () => clearTimeout(timer);
  },
};

test("24 agents with a budget of half a dollar spend no more, through the gateway's thread (D5)", {
  tags: ["long"],
}, async () => {
  let usd = 0;
  const server = await startMessagesServer(({ rawBody, body, path }) => {
    const tokens = Math.ceil(rawBody.length / 3);
    if (path.endsWith("count_tokens")) return { status: 200, body: JSON.stringify({ input_tokens: tokens }) };
    const isMain = body.tools?.some(({ name }) => name === "Agent") && !rawBody.includes('"tool_result"');
    const usage = {
      input_tokens: tokens,
      output_tokens: Math.min(1_500, body.max_tokens),
    };
    usd += costOf(MODEL, { ...noUsage, ...usage }).usd;
    if (!isMain) return { text: "A report.", usage, delayMs: 5 };
    const calls = Array.from({ length: 24 }, (_, n) => ({
      name: "Agent",
      input: { description: `Part ${n}`, prompt: `Look at part ${n}.`, subagent_type: "Explore" },
    }));
    return { calls, usage };
  });
  onTestFinished(() => server.close());
  const { supervisor } = supervised("in-thread", [], {
    source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
    ...{ model: MODEL, budget: { usd: 0.5 }, quoteAboveUsd: 1_000_000 },
  });
  const { summary } = await supervisor.prompt("go");
  expect(["done", "over_budget"]).toContain(summary.status);
  expect(usd).toBeLessThanOrEqual(0.5);
  // The limit is used, not only kept.
  expect(usd).toBeGreaterThan(0.25);
  expect(supervisor.usage().costUsd).toBeCloseTo(usd, 5);
});

test("a first request that is larger than the budget is not sent, and a sentence says why", async () => {
  const { bill, client } = billing(seeded(3));
  const { supervisor } = supervised("in-thread", [], {
    source: { provider: "client", client },
    ...{ model: MODEL, budget: { usd: 0.001 } },
  });
  const { summary } = await supervisor.prompt("go");
  expect(bill.requests).toBe(0);
  expect(summary.status).toBe("over_budget");
  expect(summary.reason).toMatch(
    /^The request was not sent: it may cost \$.*\$0\.0010 of this session's budget/,
  );
});

test("a reply is cut to what is left of the budget", async () => {
  const { bill, client } = billing(seeded(5));
  const { supervisor } = supervised("in-thread", [], {
    source: { provider: "client", client },
    ...{ model: MODEL, budget: { usd: 0.3 } },
  });
  await supervisor.prompt("go");
  expect(bill.most).toBeGreaterThan(0);
  expect(bill.most).toBeLessThan(16_000);
});
