import { expect, test } from "vitest";
import { estimateScript } from "../../../src/features/scripts/script-estimate.ts";
import { long } from "../../support/long.ts";
import { seeded, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const PRICES = { sonnet: { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 } };
const RUNS = long(50, 25);

test(`what a script is likely to cost is within twice the cost in 80 % of ${RUNS} runs, and is said before it starts (issue 19, 4)`, {
  timeout: 300_000,
}, async () => {
  const random = seeded(19);
  const home = temporaryFolder();
  const script = {
    name: "w.js",
    path: "/w.js",
    source: "return parallel(Array.from({ length: args.agents }, (_, n) => () => agent('task ' + n)));",
  };
  let good = 0;
  for (let run = 0; run < RUNS; run += 1) {
    // As many agents as a day brings, each with as many turns as its task needs.
    const turns = new Map<string, number>();
    const { supervisor } = supervised(
      "in-thread",
      (request) => {
        const left = turns.get(request.actor) ?? Math.floor(random() * 6);
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
    const estimate = await supervisor.estimateScript(script);
    const agents = 6 + Math.floor(random() * 7);
    expect(await supervisor.runScript({ ...script, args: { agents } })).toMatchObject({ type: "returned" });
    const { costUsd } = supervisor.usage();
    expect(costUsd).toBeGreaterThan(0);
    const { likelyUsd } = estimate;
    if (likelyUsd !== null && likelyUsd <= 2 * costUsd && likelyUsd >= costUsd / 2) good += 1;
    await supervisor.close();
  }
  expect(good / RUNS).toBeGreaterThanOrEqual(0.8);
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
  expect((await supervisor.estimateScript(script)).likelyUsd).toBeNull();
  expect(await run(false)).toMatchObject({ type: "returned" });
  const { costUsd } = supervisor.usage();
  expect(costUsd).toBeGreaterThan(0);
  expect(await supervisor.estimateScript(script)).toEqual({
    likelyUsd: costUsd,
    sentence: expect.stringMatching(/, as its last run did\.$/),
  });
  await supervisor.close();
});

test.each([
  [{ lately: { usd: 1.2, runs: 1 }, average: 0.1 }, /^It is likely to cost \$1\.20, as its last run did\.$/],
  [{ lately: { usd: 1.2, runs: 3 }, average: 0.1 }, /as its last 3 runs did on average\.$/],
  [{ lately: null, average: 0.1 }, /^It is likely to cost \$0\.20 or more: it has 2 calls of agent/],
  [{ lately: null, average: null }, /is not known/],
])("%j is known, and what it may cost is a sentence", ({ lately, average }, words) => {
  const past = { lately: () => lately, average: () => average };
  const script = { name: "w.js", source: "await agent('a'); return agent('b');" };
  expect(estimateScript(script, "sonnet", past).sentence).toMatch(words);
});
