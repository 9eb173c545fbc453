import { expect, onTestFinished, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { type Handler, type RecordedRequest, startMessagesServer } from "../support/messages-server.ts";

/** One that counts tokens as it charges them. */
async function serverOf(handler: Handler) {
  const asked: RecordedRequest[] = [];
  const server = await startMessagesServer((request) => {
    if (request.path.endsWith("count_tokens"))
      return { status: 200, body: JSON.stringify({ input_tokens: usage.input_tokens }) };
    asked.push(request);
    return handler(request);
  });
  onTestFinished(() => server.close());
  return { url: server.url, requests: asked };
}

const search = { name: "Glob", input: { pattern: "*" } };
/** About a cent of the default model: 2 dollars a million in, 10 out. */
const usage = { input_tokens: 4_000, output_tokens: 200 };

/** The last reply may call no tool. */
function isLast({ body }: RecordedRequest): boolean {
  return JSON.stringify(body["tool_choice"]) === '{"type":"none"}';
}

test("troupe -p --max-budget-usd: it works, is asked for its answer in time, and exits 1 with all that is known (D5)", {
  tags: ["long"],
}, async () => {
  const server = await serverOf((request) =>
    isLast(request) ? { text: "As far as I got.", usage } : { text: "More.", calls: [search], usage },
  );
  const args = ["-p", "go on and on", "--max-budget-usd", "0.07", "--output-format", "json"];
  const ended = await troupe(args, { url: server.url });
  expect(ended.code).toBe(1);
  const result = ended.json();
  expect(result).toMatchObject({
    type: "result",
    subtype: "over_budget",
    is_error: true,
    status: "over_budget",
    result: "As far as I got.",
    total_cost_usd: 0.01 * server.requests.length,
  });
  expect(result["reason"]).toMatch(
    /^This session spent \$0\.0\d of its \$0\.07; the rest was kept for summaries\.$/,
  );
  expect(result["total_cost_usd"]).toBeLessThanOrEqual(0.07);
  // It did work before, and its last words are not longer than what was kept for them.
  expect(server.requests.length).toBeGreaterThan(2);
  expect(server.requests.filter(isLast)).toHaveLength(1);
  expect(server.requests.at(-1)?.body.max_tokens).toBe(1_400);
  expect(ended.err).toBe("");
});

test("as text: the answer on stdout, the limit in one line on stderr", { tags: ["long"] }, async () => {
  const server = await serverOf((request) =>
    isLast(request) ? { text: "As far as I got.", usage } : { text: "More.", calls: [search], usage },
  );
  const ended = await troupe(["-p", "go on and on", "--max-budget-usd", "0.05"], { url: server.url });
  expect(ended).toMatchObject({ code: 1, out: "As far as I got.\n" });
  expect(ended.err.trim().split("\n")).toHaveLength(1);
  expect(ended.err).toMatch(/^over budget: This session spent \$0\.0\d of its \$0\.05/);
});

const agents = ["a", "b"].map((prompt) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "Explore" },
}));
const fanOut: Handler = ({ body }) =>
  body.messages.length > 1 || !JSON.stringify(body.messages[0]).includes("split it")
    ? { text: "done", usage }
    : { calls: agents, usage };

test("a quote above the threshold is one line on stderr in -p, and never a refusal (C5)", {
  tags: ["long"],
}, async () => {
  const { url, requests } = await serverOf(fanOut);
  const settings = { quoteAboveUsd: 0.01 };
  const ended = await troupe(["-p", "split it", "--output-format", "json"], { url, settings });
  expect(ended.code).toBe(0);
  expect(ended.json()).toMatchObject({ subtype: "success", result: "done" });
  expect(ended.json()["agents"]).toHaveLength(2);
  expect(requests).toHaveLength(4);
  const lines = ended.err.trim().split("\n");
  expect(lines.filter((line) => line.includes("cost"))).toEqual([
    expect.stringMatching(
      /2 agents are likely to cost \$[\d.,]+ \(by typical runs\), and \$[\d.,]+ at most \(all their turns with a full window, at list prices\)/,
    ),
  ]);
});

test("what is left of --max-budget-usd bounds the quote; settings give agents of a type their own", {
  tags: ["long"],
}, async () => {
  const { url } = await serverOf(fanOut);
  const settings = { quoteAboveUsd: 0.01, agentBudgets: { explore: { usd: 0.2 } } };
  const own = await troupe(["-p", "split it"], { url, settings });
  expect(own.err).toContain("$0.40 at most (their budgets).");
  const left = await troupe(["-p", "split it", "--max-budget-usd", "0.61"], {
    url,
    settings: { quoteAboveUsd: 0.01 },
  });
  // The cost of the reply that starts the agents is booked at the same moment.
  expect(left.err).toMatch(/\$0\.6[01] at most \(what is left of this session's budget\)\./);
});
