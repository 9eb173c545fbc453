import { describe, expect, test } from "vitest";
import {
  type Candidate,
  type Known,
  quote,
  quoteSentence,
  whetherQuoted,
} from "../../../src/supervisor/budget/quote.ts";
import { MODEL, PRICES } from "./accounts.ts";

const agent: Candidate = { model: MODEL, budget: {}, maxTurns: 9, maxTokens: 1000, windowTokens: 9000 };
const rich: Known = {
  leftUsd: Number.POSITIVE_INFINITY,
  whose: "session",
  past: { agents: 0, usd: 0 },
  prices: PRICES,
};
const many = (count: number, budget: Candidate["budget"] = {}) =>
  Array.from({ length: count }, () => ({ ...agent, budget }));
const said = (candidates: readonly Candidate[], known: Known) => {
  const quoted = quote(candidates, known);
  return quoted && quoteSentence(quoted);
};

describe("what a fan-out may cost at most is said before it begins (C5, D5)", () => {
  test("what is left of the purse bounds it, next to what agents have cost so far", () => {
    expect(said(many(8), { ...rich, leftUsd: 1.2, past: { agents: 5, usd: 0.15 } })).toBe(
      "8 agents may cost up to $1.20 (what is left of this session's budget); the 5 so far cost $0.03 each on average.",
    );
    expect(said(many(2, { usd: 3 }), { ...rich, leftUsd: 0.5, whose: "agent" })).toBe(
      "2 agents may cost up to $0.50 (what is left of its starter's budget).",
    );
  });

  test("their budgets bound it where they have some; tokens at the dearest price", () => {
    expect(said(many(8, { usd: 0.15 }), { ...rich, past: { agents: 1, usd: 0.004 } })).toBe(
      "8 agents may cost up to $1.20 (their budgets); the one so far cost $0.0040.",
    );
    expect(quote(many(3, { tokens: 500 }), rich)).toMatchObject({ usd: 1.5, ground: "budgets" });
  });

  test("else their limits do: every turn and the summary with a full window", () => {
    expect(said(many(2), rich)).toBe(
      "2 agents may cost up to $200.00 (all their turns with a full window, at list prices).",
    );
    expect(quote(many(2, { turns: 4 }), rich)).toMatchObject({ usd: 80, ground: "limits" });
    expect(quote([...many(1, { usd: 1 }), ...many(1)], rich)).toMatchObject({ usd: 101, ground: "limits" });
  });

  test("what agents start themselves is bounded by budgets only, and that is said", () => {
    const starters = (budget: Candidate["budget"]) =>
      many(2, budget).map((one) => ({ ...one, startsAgents: true }));
    expect(said(starters({}), rich)).toBe(
      "2 agents may cost up to $200.00 (all their turns with a full window, at list prices, without the agents that they start).",
    );
    expect(said(starters({ usd: 1 }), rich)).toBe("2 agents may cost up to $2.00 (their budgets).");
  });

  test("where it is free, or a price is not known, there is no figure", () => {
    const of = (model: string) => many(8).map((one) => ({ ...one, model }));
    expect(quote(of("offline"), rich)).toBeNull();
    expect(quote([...many(3), ...of("their-model")], rich)).toBeNull();
    expect(quote([], rich)).toBeNull();
    expect(quote([...many(1, { usd: 1 }), ...of("offline")], rich)).toMatchObject({ usd: 1, agents: 9 });
  });
});

describe("a question above a threshold, a line where nobody can be asked, never a refusal", () => {
  const of = (candidates: readonly Candidate[], known: Known = rich, aboveUsd = 1, asks = true) => {
    const quoted = quote(candidates, known);
    return quoted && whetherQuoted(quoted, { aboveUsd, asks });
  };

  test("above, not at it; 0 is always", () => {
    expect(of(many(2, { usd: 0.5 }))).toBeNull();
    expect(of(many(2, { usd: 0.51 }))).toBe("ask");
    expect(of(many(2, { usd: 0.51 }), rich, 1, false)).toBe("say");
    expect(of(many(2, { usd: 0.001 }), rich, 0)).toBe("ask");
  });

  test("one agent is no fan-out", () => {
    expect(of(many(1))).toBeNull();
  });

  test("where only limits bound it, what agents have cost so far decides, once there are some", () => {
    const past = (agents: number, usd: number) => of(many(4), { ...rich, past: { agents, usd } });
    expect(past(2, 0.06)).toBe("ask");
    expect(past(3, 0.06)).toBeNull();
    expect(past(3, 3)).toBe("ask");
    expect(of(many(4, { usd: 1 }), { ...rich, past: { agents: 9, usd: 0.09 } })).toBe("ask");
  });
});
