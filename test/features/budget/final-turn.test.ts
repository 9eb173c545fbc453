import { describe, expect, test } from "vitest";
import { estimate, id, ledger, MODEL, reply } from "./accounts.ts";

const [a, b, c] = [id("A"), id("B"), id("C")];
const ordinary = estimate(100, 50);

describe("an agent's last reply is paid from its reserve (issue 5 item 6)", () => {
  test("tokens: there is an ordinary reply as long as it leaves enough for a summary", () => {
    const session = ledger({});
    session.open({ actor: a, parent: null, budget: { tokens: 50_000 } });
    expect(session.decideLastTurn(a, estimate(1_000, 1_789))).toBeNull();
    session.spend(a, MODEL, reply(47_211));
    expect(session.decideLastTurn(a, estimate(1_000, 1_789))).toBeNull();
    session.spend(a, MODEL, reply(1_000));
    expect(session.decideLastTurn(a, estimate(1_000, 1_789))).toEqual({
      status: "over_budget",
      reason: "It used 48,211 of its 50,000 tokens; the rest was kept for summaries.",
      note: "Your token budget is as good as spent. Call no more tools: answer now with what you have found, and say what is missing.",
      silent: false,
    });
    session.spend(a, MODEL, reply(1_789));
    expect(session.left(a).tokens).toBe(0);
  });

  test("money, of the whole session: the figures say what others have set aside", () => {
    const session = ledger({ usd: 1 });
    session.adopt({ actor: a, parent: null });
    session.open({ actor: b, parent: a, budget: { usd: 0.5 } });
    session.spend(a, MODEL, reply(380));
    expect(session.decideLastTurn(a, ordinary)).toMatchObject({
      status: "over_budget",
      reason:
        "This session spent $0.38 of its $1.00, with $0.50 set aside for agents that run; the rest was kept for summaries.",
    });
    expect(session.decideLastTurn(b, ordinary)).toBeNull();
  });

  test("turns: the last one is for the summary", () => {
    const session = ledger({});
    session.open({ actor: a, parent: null, budget: { turns: 3 } });
    for (const last of [false, false, true]) {
      const words = session.decideLastTurn(a, ordinary);
      const said = {
        status: "out_of_turns",
        reason: "It used 2 of its 3 turns; the rest was kept for summaries.",
        silent: false,
      };
      expect(words).toEqual(last ? expect.objectContaining(said) : null);
      session.spend(a, MODEL, reply(1));
    }
  });

  test("time: a reply that would leave none for a summary is not begun", () => {
    let now = 0;
    const session = ledger({}, { now: () => now });
    session.open({ actor: a, parent: null, budget: { ms: 90_000 } });
    session.begin(a);
    const slow = { ...ordinary, replyMs: 20_000 };
    now = 50_000;
    expect(session.decideLastTurn(a, slow)).toBeNull();
    now = 51_000;
    expect(session.decideLastTurn(a, slow)).toMatchObject({
      status: "timed_out",
      reason: "It did not end within its 90 s.",
      silent: false,
    });
    now = 90_000;
    expect(session.decideLastTurn(a, slow)).toMatchObject({ status: "timed_out", silent: true });
  });

  test("does not spend money in flight twice: of two agents with one allowance, the second ends", () => {
    const session = ledger({ tokens: 250 });
    session.adopt({ actor: a, parent: null });
    session.adopt({ actor: b, parent: null });
    expect(session.decideLastTurn(a, ordinary)).toBeNull();
    expect(session.decideLastTurn(b, ordinary)).toMatchObject({ status: "over_budget", silent: false });
    session.spend(b, MODEL, reply(50));
    session.release(b);
    session.spend(a, MODEL, reply(100));
    expect(session.decideLastTurn(a, ordinary)).not.toBeNull();
    session.spend(a, MODEL, reply(50));
    expect(session.spent(null).tokens).toBe(200);
  });

  test("reserves nothing that is kept for another agent's summary", () => {
    const session = ledger({ tokens: 250 });
    session.adopt({ actor: a, parent: null });
    session.decideLastTurn(a, ordinary);
    session.spend(a, MODEL, reply(100));
    expect(session.open({ actor: b, parent: a, budget: { tokens: 101 } })).toContain(
      "has only 100 tokens left",
    );
    expect(session.open({ actor: c, parent: a, budget: { tokens: 100 } })).toBeNull();
    expect(session.decideLastTurn(a, ordinary)).not.toBeNull();
    session.spend(a, MODEL, reply(50));
    expect(session.left(null).tokens).toBe(0);
  });

  test("an agent whose reply passed the limit asks no more; one that did not may still write its summary", () => {
    const session = ledger({ tokens: 1000 });
    session.adopt({ actor: a, parent: null });
    session.adopt({ actor: b, parent: null });
    session.decideLastTurn(a, ordinary);
    session.spend(a, MODEL, reply(1200));
    expect(session.decideLastTurn(a, ordinary)).toMatchObject({
      silent: true,
      reason: "This session used 1,200 of its 1,000 tokens.",
    });
    expect(session.decideLastTurn(b, ordinary)).toMatchObject({ silent: false });
    session.spend(b, MODEL, reply(50));
    expect(session.decideLastTurn(b, ordinary)).toMatchObject({ silent: true });
  });

  test("what was kept for an agent is free again when it has ended, also when it was killed", () => {
    const session = ledger({ tokens: 200 });
    session.adopt({ actor: a, parent: null });
    session.adopt({ actor: b, parent: null });
    session.decideLastTurn(a, ordinary);
    session.release(a);
    expect(session.decideLastTurn(a, ordinary)).toBeNull();
    expect(session.decideLastTurn(b, ordinary)).toBeNull();
  });

  test("the free model and one whose price is unknown are never out of money", () => {
    const session = ledger({ usd: 0.01 });
    session.adopt({ actor: a, parent: null });
    for (const model of ["offline", "their-model"]) {
      expect(session.decideLastTurn(a, { ...estimate(1e9, 1e9), model })).toBeNull();
      session.spend(a, model, reply(1e9));
    }
  });

  test("ends no agent because of an estimate that is not a number", () => {
    const session = ledger({ tokens: 1000, ms: 1000 });
    session.adopt({ actor: a, parent: null });
    const odd = { ...estimate(Number.NaN, Number.NaN), promptTokens: Number.NaN, replyMs: Number.NaN };
    expect(session.decideLastTurn(a, odd)).toBeNull();
    expect(session.decideLastTurn(a, estimate(500, 500))).toBeNull();
    expect(session.decideLastTurn(a, estimate(501, 500))).not.toBeNull();
  });
});
