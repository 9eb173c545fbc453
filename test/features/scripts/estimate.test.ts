import { expect, test } from "vitest";
import type { ScriptRequest } from "../../../src/features/scripts/index.ts";
import { estimateScript, parseCalls } from "../../../src/features/scripts/script-estimate.ts";
import { long } from "../../support/long.ts";
import { seeded, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const price = (times: number) => ({
  ...{ input: 3 * times, output: 15 * times, cacheWrite: 3.75 * times, cacheRead: 0.3 * times },
});
const PRICES = { sonnet: price(1), big: price(20) };
const RUNS = long(50, 25);

/** Runs scripts of one home, each in a session of its own; returns the share of good estimates. */
async function shareOfGood(
  scriptOf: (run: number, random: () => number) => ScriptRequest,
  first = 0,
): Promise<number> {
  const random = seeded(19);
  const home = temporaryFolder();
  let good = 0;
  for (let run = 0; run < first + RUNS; run += 1) {
    // Each agent takes as many turns as its task needs; a search takes more.
    const turns = new Map<string, number>();
    const { supervisor } = supervised(
      "in-thread",
      (request) => {
        const usual = JSON.stringify(request.messages[0]).includes("find") ? 4 : 0;
        const left = turns.get(request.actor) ?? usual + Math.floor(random() * 6);
        turns.set(request.actor, left - 1);
        const usage = {
          input_tokens: 2_000 + Math.floor(random() * 8_000),
          output_tokens: Math.floor(random() * 800),
        };
        return left > 0
          ? { calls: [{ name: "Glob", input: { pattern: `${left}*` } }], usage }
          : { text: "done", usage };
      },
      { home, prices: { ...PRICES }, model: "sonnet" },
    );
    const script = scriptOf(run, random);
    const { likelyUsd } = await supervisor.estimateScript(script);
    expect(await supervisor.runScript(script)).toMatchObject({ type: "returned" });
    const { costUsd } = supervisor.usage();
    expect(costUsd).toBeGreaterThan(0);
    const isGood = likelyUsd !== null && likelyUsd <= 2 * costUsd && likelyUsd >= costUsd / 2;
    if (isGood && run >= first) good += 1;
    await supervisor.close();
  }
  return good / RUNS;
}

test(`what a script is likely to cost is within twice the cost in 80 % of ${RUNS} runs, and is said before it starts (issue 19, 4)`, {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const share = await shareOfGood((_, random) => ({
    ...{ name: "w.js", path: "/w.js" },
    source: "return parallel(Array.from({ length: args.agents }, (_, n) => () => agent('task ' + n)));",
    // As many agents as a day brings.
    args: { agents: 6 + Math.floor(random() * 7) },
  }));
  expect(share).toBeGreaterThanOrEqual(0.8);
});

test(`the estimate of scripts that never ran is within twice the cost in 80 % of ${RUNS} runs, by the types and models of their calls`, {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const calls = [
    "agent('write')",
    "agent('find it', { agentType: 'Explore' })",
    'agent("judge (it)", { label: \'judge\', model: "big" })',
  ];
  // The first runs are those that it learns from.
  const share = await shareOfGood((run, random) => {
    const some = Array.from({ length: 3 }, (_, n) => calls[run === 0 ? n : Math.floor(random() * 3)]);
    const source = `return parallel([${[...some, ...some].map((call) => `() => ${call}`).join(", ")}]);`;
    return { name: `w${run}.js`, path: `/w${run}.js`, source };
  }, 3);
  expect(share).toBeGreaterThanOrEqual(0.8);
});

test("a run that failed and was resumed is one past run, with the cost of all its calls", async () => {
  const usage = { output_tokens: 100_000 };
  const { supervisor } = supervised("in-thread", () => ({ text: "done", usage }), {
    ...{ prices: { ...PRICES }, model: "sonnet" },
  });
  const script = {
    name: "w.js",
    source: "await agent('a'); if (args.fails) throw new Error('no'); await agent('b');",
  };
  const run = (fails: boolean) => supervisor.runScript({ ...script, args: { fails } });
  expect(await run(true)).toMatchObject({ type: "failed" });
  expect((await supervisor.estimateScript(script)).sentence).not.toContain("last run");
  expect(await run(false)).toMatchObject({ type: "returned" });
  const { costUsd } = supervisor.usage();
  expect(costUsd).toBeGreaterThan(0);
  expect(await supervisor.estimateScript(script)).toEqual({
    ...{ likelyUsd: costUsd, lowUsd: costUsd, highUsd: costUsd },
    sentence: expect.stringMatching(/, as its last run did\.$/),
  });
  await supervisor.close();
});

const one = { usd: 1.2, low: 1.2, high: 1.2, runs: 1 };
const three = { usd: 1.2, low: 0.8, high: 1.9, runs: 3 };
const none = Number.POSITIVE_INFINITY;

test.each([
  [{ lately: one, leftUsd: none }, [1.2, 1.2, 1.2], "$1.20, as its last run did."],
  [
    { lately: three, leftUsd: none },
    [1.2, 0.8, 1.9],
    "$1.20, as its last 3 runs did on average ($0.80 to $1.90).",
  ],
  [
    { lately: three, leftUsd: 1 },
    [1, 0.8, 1],
    "$1.20, as its last 3 runs did on average ($0.80 to $1.90), and $1.00 at most (the budget).",
  ],
  [
    { lately: null, leftUsd: none },
    [0.3, 0.3, null],
    "$0.30 or more: it has 2 calls of agent, which can run several times (by past runs of such agents).",
  ],
  [
    { lately: null, leftUsd: 2 },
    [0.3, 0.3, 2],
    "$0.30 or more, and $2.00 at most (the budget): it has 2 calls of agent, which can run several times (by past runs of such agents).",
  ],
] as const)(
  "%j is known, and what it may cost is a range and a sentence",
  ({ lately, leftUsd }, range, words) => {
    const known = { likelyUsd: 0.3, isKnown: true, mostUsd: 9, agents: 2 } as const;
    const parts = {
      ...{ model: "sonnet", past: { lately: () => lately }, leftUsd },
      estimate: () => ({ ...known, ground: "limits", whose: "session" }) as const,
    };
    const script = { name: "w.js", source: "await agent('a'); return agent('b');" };
    const [likelyUsd, lowUsd, highUsd] = range;
    expect(estimateScript(script, parts)).toEqual({
      ...{ likelyUsd, lowUsd, highUsd, sentence: `It is likely to cost ${words}` },
    });
  },
);

test.each(["return 1;", "return agent('a');"])(
  "says that the cost of %j is not known without a price",
  (source) => {
    const parts = { model: "m", past: { lately: () => null }, leftUsd: none, estimate: () => null };
    expect(estimateScript({ name: "w.js", source }, parts)).toMatchObject({
      ...{ likelyUsd: null, highUsd: null, sentence: expect.stringContaining("is not known") },
    });
  },
);

const usual = { type: "general-purpose" };

test.each([
  ["agent('a')", [usual]],
  ["agent('a', { agentType: 'Explore', model: `haiku` })", [{ type: "Explore", model: "haiku" }]],
  [
    "agent('model: \"opus\" (', options)\nagent(b, { 'model': \"opus\" })",
    [usual, { ...usual, model: "opus" }],
  ],
  ['agent(f(x), {\n  label: n,\n  agentType: "Plan",\n})', [{ type: "Plan" }]],
  ["agent('a', { model: args.model, agentType: `$".concat("{t}` })"), [usual]],
  ["agent(await agent('a', { model: 'x' }))", [usual, { ...usual, model: "x" }]],
  ["agent('never closed", [usual]],
  ["const subagent = 1; reagent(2)", []],
])("reads the calls of %j", (source, calls) => {
  expect(parseCalls(source)).toEqual(calls);
});
