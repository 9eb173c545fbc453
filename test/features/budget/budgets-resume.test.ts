import { expect, test } from "vitest";
import { noUsage } from "../../../src/mailbox/conversation.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import {
  cutAfter,
  journalOf,
  recorded,
  recordsOf,
  repliesIn,
  takenUp,
  taskOf,
  world,
} from "../../supervisor/resume-world.ts";
import { everyNth } from "../../support/long.ts";
import { COIN, costing, kind, onAndOn, PRICES, start, TICK, tick } from "./coins.ts";

const digger = kind("digger", 8);
const paid = { model: COIN, prices: PRICES, tools: [tick], agents: [digger] };

const digging = (request: ModelRequest): ScriptedTurn => {
  if (taskOf(request) === "dig") return onAndOn("dug", 1)(request);
  if (request.withoutTools) return costing(1, { text: "as far as I got" });
  return repliesIn(request) === 0
    ? costing(1, { calls: [start("digger", "dig"), TICK] })
    : costing(1, { calls: [TICK] });
};

test("what was spent before a crash counts after it: cut anywhere, all together keep within the grant (issue 5, 5 and 6)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const grant = 20;
  const first = world("in-thread", digging, { ...paid, budget: { usd: grant } });
  expect((await first.supervisor.prompt("go")).summary.status).toBe("over_budget");
  expect(first.supervisor.usage().costUsd).toBeGreaterThan(grant - 5);
  await first.supervisor.close();
  const whole = recorded(first);

  const wrong: object[] = [];
  const cuts = everyNth(
    whole.lines.map((_, at) => at + 1),
    6,
  );
  for (const count of cuts) {
    const before = recordsOf(whole.lines.slice(0, count));
    if (!before.some(({ event }) => event.type === "spawn")) continue;
    const again = await takenUp("in-thread", digging, {
      ...{ ...paid, id: whole.id, home: cutAfter(whole, count), budget: { usd: grant }, seed: count },
    });
    await again.supervisor.resumeUnfinished();
    await again.supervisor.close();
    const agents = again.supervisor.tree();
    // Each reply of the script is a dollar, as it was taken to be: those of both lives, as the journal has them.
    const dollars = (await journalOf(again)).filter(({ event }) => event.type === "turn").length;
    const own = agents.find(({ type }) => type === "digger")?.summary?.turns ?? 0;
    if (dollars > grant || own > digger.budget.usd) wrong.push({ count, dollars, own });
    if (agents.some(({ summary }) => !["over_budget", "done"].includes(summary?.status ?? "none")))
      wrong.push({ count, statuses: agents.map(({ summary }) => summary) });
  }
  expect(wrong).toEqual([]);
});

test("an agent that was cut off has the budget of its kind again, less what it spent", async () => {
  const first = world("in-thread", digging, { ...paid, budget: { usd: 100 } });
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  const dug = recordsOf(whole.lines).flatMap(({ event }, at) =>
    event.type === "turn" && event.turn.usage.output_tokens > 0 && event.actor !== "main" ? [at] : [],
  );
  const again = await takenUp("in-thread", digging, {
    ...{ ...paid, id: whole.id, home: cutAfter(whole, (dug[1] ?? 0) + 1), budget: { usd: 100 } },
  });
  expect(again.supervisor.unfinished().agents).toMatchObject([{ type: "digger", costUsd: 2 }]);
  await again.supervisor.resumeUnfinished();
  expect(again.supervisor.tree()[1]?.summary).toMatchObject({
    status: "over_budget",
    text: "dug",
    reason: "It spent $6.00 of its $8.00; the rest was kept for summaries.",
    turns: 7,
  });
});

test("a session that had spent all is resumed, and spends no more", async () => {
  const first = world("in-thread", digging, { ...paid, budget: { usd: 8 } });
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const again = await takenUp("in-thread", digging, {
    ...{ ...paid, id: first.supervisor.session, home: first.home, budget: { usd: 2 } },
  });
  const { summary } = await again.supervisor.prompt("more?");
  expect(summary.status).toBe("over_budget");
  expect(summary.reason).toMatch(/^This session spent \$\d\.00 of its \$2\.00/);
  expect(again.model.requests).toEqual([]);
});

test("what was paid for a reply that broke counts after a resume, too", async () => {
  const failure = {
    kind: "server",
    message: "It broke.",
    usage: { ...noUsage, output_tokens: 2_000 },
  } as const;
  const first = world("in-thread", [{ failure }], { ...paid, budget: { usd: 100 } });
  await first.supervisor.prompt("go");
  expect(first.supervisor.usage().costUsd).toBe(2);
  await first.supervisor.close();
  const again = await takenUp("in-thread", [costing(1, { text: "Done." })], {
    ...{ ...paid, id: first.supervisor.session, home: first.home, budget: { usd: 100 } },
  });
  expect(again.supervisor.usage()).toMatchObject({ costUsd: 2, usage: failure.usage });
  await again.supervisor.prompt("again");
  expect(again.supervisor.usage()).toMatchObject({ costUsd: 3, usage: { output_tokens: 3_000 } });
  await again.supervisor.close();
});
