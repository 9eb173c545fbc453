import { describe, expect, test } from "vitest";
import type { BudgetLedger } from "../../../src/features/budget/ledger.ts";
import { estimate, id, ledger, MODEL, reply } from "./accounts.ts";

const [a, b, c] = [id("A"), id("B"), id("C")];
const spend = (session: BudgetLedger, actor: typeof a, tokens: number) =>
  session.spend(actor, MODEL, reply(tokens));

describe("an account for each agent (D5)", () => {
  test("without a budget of its own an agent spends what is left to those above it", () => {
    const session = ledger({ tokens: 1000 });
    session.open({ actor: a, parent: null });
    session.open({ actor: b, parent: a });
    spend(session, b, 300);
    spend(session, a, 100);
    expect(session.left(b)).toEqual({
      tokens: 600,
      usd: Number.POSITIVE_INFINITY,
      turns: Number.POSITIVE_INFINITY,
      ms: Number.POSITIVE_INFINITY,
    });
    expect(session.spent(a)).toEqual({ usd: 0.4, tokens: 400, turns: 2 });
    expect(session.spent(b)).toEqual({ usd: 0.3, tokens: 300, turns: 1 });
    expect(session.spent(null)).toEqual(session.spent(a));
  });

  test("a budget is taken from the parent's, and what is not used returns once", () => {
    const session = ledger({ usd: 1, turns: 10 });
    expect(session.open({ actor: a, parent: null, budget: { usd: 0.5, turns: 4 } })).toBeNull();
    expect(session.open({ actor: b, parent: a, budget: { usd: 0.2 } })).toBeNull();
    spend(session, b, 50);
    expect(session.balance(b, "usd")).toEqual({ limit: 0.2, spent: 0.05, setAside: 0, left: 0.15 });
    expect(session.balance(a, "usd")).toEqual({ limit: 0.5, spent: 0.05, setAside: 0.15, left: 0.3 });
    expect(session.balance(null, "usd")).toEqual({ limit: 1, spent: 0.05, setAside: 0.45, left: 0.5 });
    expect(session.balance(b, "turns")).toEqual({ limit: 4, spent: 1, setAside: 0, left: 3 });
    session.release(b);
    session.release(b);
    expect(session.left(a).usd).toBe(0.45);
    session.release(a);
    expect(session.left(null)).toMatchObject({ usd: 0.95, turns: 9 });
  });

  test("more than is left cannot be reserved: nothing is taken, and the model gets the remainder", () => {
    const session = ledger({ usd: 1, tokens: 1000 });
    session.open({ actor: a, parent: null, budget: { usd: 0.7 } });
    const before = session.left(null);
    expect(session.open({ actor: b, parent: null, budget: { tokens: 10, usd: 0.5 } })).toBe(
      "This agent was not started: it needs $0.50, and this session's budget of $1.00 has only $0.30 left; what is missing is spent, or kept for agents that run. Do the task yourself, or answer with what you have.",
    );
    expect(session.open({ actor: b, parent: a, budget: { usd: 0.71 } })).toContain(
      "it needs $0.71, and your budget of $0.70 has only $0.70 left",
    );
    expect(session.left(null)).toEqual(before);
    expect(session.spent(b)).toEqual({ usd: 0, tokens: 0, turns: 0 });
  });

  test("starts no agent without enough for a first reply and a summary", () => {
    const session = ledger({ tokens: 100 });
    session.adopt({ actor: a, parent: null });
    spend(session, a, 60);
    const first = estimate(30, 20);
    expect(session.open({ actor: b, parent: a, first })).toContain(
      "it needs 50 tokens, and this session's budget of 100 tokens has only 40 tokens left",
    );
    expect(session.open({ actor: b, parent: a, first: estimate(20, 20) })).toBeNull();
    spend(session, a, 40);
    expect(session.open({ actor: c, parent: a })).toContain(
      "not started: this session's budget of 100 tokens has nothing left",
    );
  });

  test("a last reply that cost too much is paid by the giver of the budget; nothing is lost", () => {
    const session = ledger({ tokens: 1000 });
    session.open({ actor: a, parent: null, budget: { tokens: 500 } });
    session.open({ actor: b, parent: a, budget: { tokens: 100 } });
    spend(session, b, 130);
    expect(session.left(b).tokens).toBe(0);
    expect(session.left(a).tokens).toBe(370);
    session.release(b);
    expect(session.left(a).tokens).toBe(370);
    session.release(a);
    expect(session.left(null).tokens).toBe(870);
  });

  test("an agent that outlives the one who started it keeps within what that one was given", () => {
    const session = ledger({ tokens: 1000 });
    session.open({ actor: a, parent: null, budget: { tokens: 300 } });
    session.open({ actor: b, parent: a });
    session.release(a);
    expect(session.left(b).tokens).toBe(300);
    spend(session, b, 100);
    expect(session.left(null).tokens).toBe(700);
    session.release(b);
    expect(session.left(null).tokens).toBe(900);
  });

  test("a reply that is reported after the end is booked all the same, for any agent", () => {
    const session = ledger({ tokens: 1000 });
    session.open({ actor: a, parent: null, budget: { tokens: 300 } });
    session.release(a);
    spend(session, a, 100);
    spend(session, c, 50);
    expect(session.left(null).tokens).toBe(850);
    expect(session.spent(a).tokens).toBe(100);
    expect(session.spent(c).tokens).toBe(0);
  });

  test("an agent that is asked again has a new budget, and what it spent before is not forgotten", () => {
    const session = ledger({ tokens: 1000 });
    const opening = { actor: a, parent: null, budget: { tokens: 300 } };
    session.open(opening);
    session.open(opening);
    spend(session, a, 200);
    session.release(a);
    session.open(opening);
    expect(session.left(a).tokens).toBe(300);
    expect(session.left(null).tokens).toBe(500);
    expect(session.spent(a)).toEqual({ usd: 0.2, tokens: 200, turns: 1 });
  });

  test("disables no limit that is not a number", () => {
    const session = ledger({ tokens: Number.NaN, usd: -1, ms: Number.NaN });
    expect(session.left(null)).toEqual({ tokens: 0, usd: 0, ms: 0, turns: Number.POSITIVE_INFINITY });
    expect(ledger({ tokens: Number.POSITIVE_INFINITY }).left(null).tokens).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("money", () => {
  test("a price that is not known is said once; its tokens count", () => {
    const session = ledger({ usd: 1, tokens: 100 });
    session.open({ actor: a, parent: null });
    expect(session.spend(a, "their-model", reply(40))).toEqual({
      usd: 0,
      costKnown: false,
      note: "The price of their-model is not known, so its replies count in tokens and turns only, and no limit in dollars holds for it; set it under troupe.prices.",
    });
    expect(session.spend(a, "their-model", reply(40)).note).toBeNull();
    expect(session.left(a)).toMatchObject({ usd: 1, tokens: 20 });
    expect(session.spend(a, MODEL, reply(10))).toEqual({ usd: 0.01, costKnown: true, note: null });
  });

  test("sums are exact: a thousand replies of a tenth of a cent are a dollar", () => {
    const session = ledger({ usd: 1 });
    session.open({ actor: a, parent: null });
    for (let n = 0; n < 1000; n++) spend(session, a, 1);
    expect(session.spent(null).usd).toBe(1);
    expect(session.left(a).usd).toBe(0);
  });
});

describe("shares time between all agents", () => {
  test("an agent has until its own deadline or its caller's; it runs from its start", () => {
    let now = 0;
    const session = ledger({ ms: 600_000 }, { now: () => now });
    session.open({ actor: a, parent: null, budget: { ms: 120_000 } });
    session.open({ actor: b, parent: a, budget: { ms: 300_000 } });
    expect(session.left(a).ms).toBe(600_000);
    now = 60_000;
    session.begin(a);
    now = 90_000;
    session.begin(a);
    session.begin(b);
    expect(session.deadline(a)).toEqual({ ms: 90_000, reason: "It did not end within its 2 min." });
    expect(session.deadline(b)).toEqual({
      ms: 90_000,
      reason: "It did not end within the 2 min of the agent that it works for.",
    });
    expect(session.deadline(null)).toMatchObject({ ms: 510_000 });
    expect(ledger({}).deadline(a)).toBeNull();
  });

  test("restarts the time of a resumed agent", () => {
    let now = 0;
    const session = ledger({}, { now: () => now });
    const [first, second] = [
      { actor: a, parent: null, budget: { ms: 1000 } },
      { actor: b, parent: a, budget: { ms: 5000 } },
    ];
    session.open(first);
    session.begin(a);
    session.open(second);
    session.begin(b);
    session.release(a);
    expect(session.deadline(b)?.ms).toBe(1000);
    session.open(first);
    session.begin(b);
    now = 900;
    session.begin(a);
    expect(session.deadline(a)?.ms).toBe(1000);
    session.release(a);
    session.release(b);
    now = 9000;
    session.open(second);
    expect(session.deadline(b)).toBeNull();
    session.begin(b);
    expect(session.deadline(b)?.ms).toBe(5000);
  });
});
