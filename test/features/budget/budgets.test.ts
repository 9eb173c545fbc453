// @module-tag long
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { ActorId } from "../../../src/mailbox/ids.ts";
import { textsOf } from "../../supervisor/resume-world.ts";
import { everyDayHosts } from "../../support/supervised.ts";
import { byTask, costing, kind, onAndOn, paying, start, TICK } from "./coins.ts";

describe.each(everyDayHosts)("a budget in dollars, %s", (hostName) => {
  test("ends the main conversation over_budget, with a summary from what was kept back (D5)", async () => {
    const { supervisor, model } = paying(byTask({ go: [onAndOn("as far as I got")] }), {
      hostName,
      budget: { usd: 10 },
    });
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "over_budget", text: "as far as I got" });
    expect(summary.reason).toBe("This session spent $8.00 of its $10.00; the rest was kept for summaries.");
    expect(supervisor.usage().costUsd).toBe(10);
    expect(model.requests.at(-1)).toMatchObject({ withoutTools: true, maxTokens: 2000 });
    expect(textsOf(model.requests.at(-1) ?? never())).toContain(
      "The money for your task is as good as spent",
    );
  });

  test("of an agent of its own: it spends no more, and what is left returns to its starter", async () => {
    const { supervisor, model } = paying(
      byTask({
        go: [
          () => costing(1, { calls: [start("small", "first")] }),
          () => costing(1, { calls: [start("small", "second")] }),
          onAndOn("all done"),
        ],
        first: [() => costing(1, { text: "little to do" })],
        second: [onAndOn("much to do")],
      }),
      { hostName, budget: { usd: 20 }, agents: [kind("small", 8)] },
    );
    const { summary } = await supervisor.prompt("go");
    const [main, first, second] = supervisor.tree();
    expect(first?.summary).toMatchObject({ status: "done", text: "little to do" });
    expect(second?.summary).toMatchObject({ status: "over_budget", text: "much to do" });
    expect(second?.summary?.reason).toBe("It spent $6.00 of its $8.00; the rest was kept for summaries.");
    expect(second?.costUsd).toBe(7.6);
    // 20 - 2 - 1 - 7.6: all but one of the first one's eight were there to be given again.
    expect(main?.costUsd).toBeLessThanOrEqual(11);
    expect(summary).toMatchObject({ status: "over_budget", text: "all done" });
    expect(supervisor.usage().costUsd).toBeLessThanOrEqual(20);
    expect(textsOf(model.requests.at(-1) ?? never())).toContain("over_budget (It spent $6.00 of its $8.00");
  });
});

describe("budgets within budgets", () => {
  test("nested: what an agent gives is its own; what is released, at every depth, is available again", async () => {
    const { supervisor } = paying(
      byTask({
        go: [
          () => costing(1, { calls: [start("middle", "manage")] }),
          () => costing(1, { text: "all done" }),
        ],
        manage: [
          () => costing(1, { calls: [start("small", "a"), start("small", "b")] }),
          // 20 - 1, and of the twelve that were given two were spent: another one of eight is possible.
          () => costing(1, { calls: [start("small", "c")] }),
          () => costing(1, { text: "managed" }),
        ],
        a: [() => costing(1, { text: "a" })],
        b: [() => costing(1, { text: "b" })],
        c: [() => costing(1, { text: "c" })],
      }),
      { budget: { usd: 40 }, agents: [kind("middle", 24), kind("small", 6)], limits: { maxDepth: 3 } },
    );
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "all done" });
    expect(supervisor.tree().map(({ description, summary: end }) => [description, end?.status])).toEqual([
      ["main conversation", "done"],
      ["manage", "done"],
      ["a", "done"],
      ["b", "done"],
      ["c", "done"],
    ]);
    expect(supervisor.usage().costUsd).toBe(8);
  });

  test("an agent without one draws on its starter's, and both keep within it together", async () => {
    const { supervisor } = paying(
      byTask({
        go: [
          () => costing(1, { calls: [start("middle", "manage")] }),
          () => costing(1, { text: "all done" }),
        ],
        manage: [
          () => costing(1, { calls: [start("worker", "dig"), start("worker", "search")] }),
          onAndOn("managed"),
        ],
        dig: [onAndOn("dug")],
        search: [onAndOn("searched")],
      }),
      { budget: { usd: 100 }, agents: [kind("middle", 24)], limits: { maxDepth: 3 } },
    );
    await supervisor.prompt("go");
    const [, manager, ...workers] = supervisor.tree();
    expect(workers.map(({ summary }) => summary?.status)).toEqual(["over_budget", "over_budget"]);
    expect(workers[0]?.summary?.reason).toMatch(
      /^The agent that it works for spent \$[\d.]+ of its \$24\.00/,
    );
    const spent = [manager, ...workers].reduce((sum, agent) => sum + (agent?.costUsd ?? 0), 0);
    expect(spent).toBeLessThanOrEqual(24);
    // There is room for one summary of three, at least, and it was used for work.
    expect(spent).toBeGreaterThan(24 - 3 * 4 - 2);
    expect(manager?.summary).toMatchObject({ status: "over_budget", text: "managed" });
  });

  test("a reservation that is not possible is an ordinary error of the call, with a sentence", async () => {
    const { supervisor, model } = paying(
      byTask({
        go: [
          () => costing(1, { calls: [start("large", "a"), start("large", "b")] }),
          () => costing(1, { text: "did it with one" }),
        ],
        a: [() => costing(1, { text: "a is done" })],
      }),
      { budget: { usd: 30 }, agents: [kind("large", 16)] },
    );
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "did it with one" });
    expect(supervisor.tree()).toHaveLength(2);
    const heard = textsOf(model.requests.at(-1) ?? never());
    expect(heard).toContain("a is done");
    expect(heard).toMatch(
      /not started: it needs \$16\.00, and this session's budget of \$30\.00 has only \$9\.00 left/,
    );
  });

  test("settings give agents of a type their budget; the tighter of it and the definition's counts", async () => {
    const { supervisor } = paying(byTask({ dig: [onAndOn("dug")], search: [onAndOn("searched")] }), {
      agents: [kind("Digger", 20)],
      agentBudgets: [
        { type: "digger", usd: 8 },
        { type: "WORKER", turns: 3 },
      ],
    });
    const digger = await supervisor.spawn({ type: "Digger", prompt: "dig" });
    expect(digger.summary.reason).toBe("It spent $6.00 of its $8.00; the rest was kept for summaries.");
    const worker = await supervisor.spawn({ type: "worker", prompt: "search" });
    expect(worker.summary).toMatchObject({ status: "out_of_turns", turns: 3, text: "searched" });
    expect(worker.summary.reason).toBe("It used 2 of its 3 turns; the rest was kept for summaries.");
  });

  test("an agent that is asked again has a budget again, out of what there is; it is not without one (C5)", async () => {
    const { supervisor, model } = paying(
      byTask({
        go: [
          () => costing(1, { calls: [start("small", "dig")] }),
          ({ messages }) =>
            costing(1, { calls: [start("small", "dig on", { resume: idIn(JSON.stringify(messages)) })] }),
          () => costing(1, { text: "all done" }),
        ],
        dig: [onAndOn("dug", 1)],
      }),
      { budget: { usd: 40 }, agents: [kind("small", 8)] },
    );
    await supervisor.prompt("go");
    const digger = supervisor.tree()[1];
    expect(digger?.summary).toMatchObject({ status: "over_budget", text: "dug" });
    expect(digger?.costUsd).toBe(14);
    expect(model.requests.filter(({ withoutTools }) => withoutTools)).toHaveLength(2);
  });

  test("refuses to resume an agent without budget; the call says why", async () => {
    const { supervisor, model } = paying(
      byTask({
        go: [
          () => costing(1, { calls: [start("small", "dig")] }),
          ({ messages }) =>
            costing(1, { calls: [start("small", "dig on", { resume: idIn(JSON.stringify(messages)) })] }),
          () => costing(1, { text: "all done" }),
        ],
        dig: [onAndOn("dug", 1)],
      }),
      { budget: { usd: 16 }, agents: [kind("small", 8)] },
    );
    const { summary } = await supervisor.prompt("go");
    expect(summary.text).toBe("all done");
    expect(supervisor.tree()[1]?.costUsd).toBe(7);
    expect(textsOf(model.requests.at(-1) ?? never())).toMatch(
      /not started: it needs \$8\.00, and this session's/,
    );
  });
});

describe("a session that has spent its budget", () => {
  test("answers no more prompts, and asks no model again and again for a last word", async () => {
    const { supervisor, model } = paying(byTask({ go: [onAndOn("the end")] }), {
      budget: { usd: 10 },
    });
    expect((await supervisor.prompt("go")).summary.status).toBe("over_budget");
    const asked = model.requests.length;
    const { summary } = await supervisor.prompt("and now?");
    expect(summary).toMatchObject({ status: "over_budget" });
    expect(summary.reason).toBe("This session spent $10.00 of its $10.00.");
    await expect(supervisor.spawn({ type: "worker", prompt: "dig" })).rejects.toThrow(
      "this session's budget of $10.00 has nothing left",
    );
    expect(model.requests).toHaveLength(asked);
  });
});

describe("turns, tokens and time", () => {
  test("turns of a session are those of all its agents together", async () => {
    const { supervisor } = paying(
      byTask({
        go: [() => ({ calls: [start("worker", "dig")] }), () => ({ text: "all done" })],
        dig: [({ withoutTools }) => (withoutTools ? { text: "dug" } : { calls: [TICK] })],
      }),
      { budget: { turns: 6 } },
    );
    const { summary } = await supervisor.prompt("go");
    const worker = supervisor.tree()[1];
    expect(worker?.summary).toMatchObject({ status: "out_of_turns", text: "dug" });
    expect(worker?.summary?.reason).toMatch(/^This session used \d of its 6 turns/);
    expect(summary).toMatchObject({ text: "all done" });
    const turns = supervisor.tree().reduce((sum, agent) => sum + agent.turns, 0);
    expect(turns).toBeLessThanOrEqual(6);
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  test("tokens count whatever they cost", async () => {
    const { supervisor } = paying(
      ({ withoutTools }) =>
        withoutTools
          ? { text: "dug", usage: { output_tokens: 100 } }
          : { calls: [TICK], usage: { input_tokens: 20_000, output_tokens: 100 } },
      { agents: [{ ...kind("reader", 1_000), budget: { tokens: 150_000 } }] },
    );
    const { summary } = await supervisor.spawn({ type: "reader", prompt: "read" });
    expect(summary).toMatchObject({ status: "over_budget", text: "dug" });
    expect(summary.reason).toMatch(
      /^It used [\d,]+ of its 150,000 tokens; the rest was kept for summaries\.$/,
    );
  });

  test.each([
    ["its definition's", { agents: [{ ...kind("late", 1_000), budget: { ms: 60_000 } }] }],
    ["every agent's", { agents: [kind("late", 1_000)], limits: { agentMinutes: 1 } }],
    [
      "settings' for its type",
      { agents: [kind("late", 1_000)], agentBudgets: [{ type: "late", minutes: 1 }] },
    ],
    ["the session's", { agents: [kind("late", 1_000)], budget: { ms: 60_000 } }],
    ["the session's minutes", { agents: [kind("late", 1_000)], limits: { sessionMinutes: 1 } }],
  ])(
    "an agent whose time is nearly over (%s) is asked for its answer before it is stopped",
    async (_whose, options) => {
      const clock = byHand();
      const { supervisor } = paying(
        ({ withoutTools }) => {
          // Every reply takes 15 seconds: after two of them there is no time for another one and a summary.
          clock.pass(15_000);
          return withoutTools ? { text: "in time" } : { calls: [TICK] };
        },
        { ...options, clock },
      );
      const { summary } = await supervisor.spawn({ type: "late", prompt: "hurry" });
      expect(summary).toMatchObject({ status: "timed_out", text: "in time" });
      expect(summary.reason).toMatch(/did not end within (its|the) 1 min/);
    },
  );
});

function idIn(text: string): ActorId {
  return ActorId.parse(/Agent (\w+) \(/.exec(text)?.[1]);
}

function never(): never {
  throw new Error("There was no request.");
}

/** Real time, and what is put on top of it. */
function byHand() {
  let ahead = 0;
  return { ...systemClock, now: () => systemClock.now() + ahead, pass: (ms: number) => (ahead += ms) };
}
