import { describe, expect, test } from "vitest";
import {
  approvalNeeded,
  type EstimateInput,
  estimateCost,
  type PlannedAgent,
  quoteSentence,
} from "../../../src/features/budget/cost-estimate.ts";
import { MODEL, PRICES } from "./accounts.ts";

const agent: PlannedAgent = {
  type: "Worker",
  prefixTokens: 1000,
  model: MODEL,
  budget: {},
  maxTurns: 9,
  maxTokens: 1000,
  windowTokens: 9000,
};
const rich: EstimateInput = {
  leftUsd: Number.POSITIVE_INFINITY,
  whose: "session",
  past: () => null,
  prices: PRICES,
};
const many = (count: number, budget: PlannedAgent["budget"] = {}) =>
  Array.from({ length: count }, () => ({ ...agent, budget }));
const said = (candidates: readonly PlannedAgent[], known: EstimateInput) => {
  const quoted = estimateCost(candidates, known);
  return quoted && quoteSentence(quoted);
};

describe("what a fan-out may cost at most is said before it begins (C5, D5)", () => {
  const by = (usd: number) => ({ past: () => usd });

  test("past runs of the type say what is likely; else a prefix and typical turns, each paid for once", () => {
    expect(said(many(8, { usd: 0.5 }), { ...rich, ...by(0.03) })).toBe(
      "8 agents are likely to cost $0.24 (by past runs), and $4.00 at most (their budgets).",
    );
    // 8 x 500 said, a prefix of 1,000 and 7 x 2,500 written, and each turn reads all before it.
    const read = [0, 1, 2, 3, 4, 5, 6].reduce((sum, turn) => sum + 1_000 + turn * 2_500, 0);
    expect(estimateCost(many(1), { ...rich, prices: PRICES })).toMatchObject({
      likelyUsd: (8 * 500 + 1_000 + 7 * 2_500 + read) / 1_000,
      isKnown: false,
    });
    const mixed = [...many(1), { ...agent, type: "Explore" }];
    const past = (type: string) => (type === "Explore" ? 1 : null);
    expect(estimateCost(mixed, { ...rich, past })).toMatchObject({ isKnown: false });
  });

  test("the likely cost is within what bounds it", () => {
    expect(said(many(8), { ...rich, ...by(9), leftUsd: 1.2 })).toBe(
      "8 agents are likely to cost $1.20 (by past runs), and $1.20 at most (what is left of this session's budget).",
    );
    expect(said(many(2, { usd: 3 }), { ...rich, ...by(0.2), leftUsd: 0.5, whose: "agent" })).toBe(
      "2 agents are likely to cost $0.40 (by past runs), and $0.50 at most (what is left of its starter's budget).",
    );
    expect(estimateCost(many(3, { tokens: 500 }), rich)).toMatchObject({
      mostUsd: 1.5,
      likelyUsd: 1.5,
      ground: "budgets",
    });
  });

  test("without budgets their limits bound it: every turn and the summary with a full window", () => {
    expect(said(many(2), { ...rich, ...by(1) })).toBe(
      "2 agents are likely to cost $2.00 (by past runs), and $200.00 at most (all their turns with a full window, at list prices).",
    );
    expect(estimateCost(many(2, { turns: 4 }), rich)).toMatchObject({ mostUsd: 80, ground: "limits" });
    expect(estimateCost([...many(1, { usd: 1 }), ...many(1)], rich)).toMatchObject({
      mostUsd: 101,
      ground: "limits",
    });
  });

  test("what agents start themselves is bounded by budgets only, and that is said", () => {
    const starters = (budget: PlannedAgent["budget"]) =>
      many(2, budget).map((one) => ({ ...one, startsAgents: true }));
    expect(said(starters({}), rich)).toContain(
      "$200.00 at most (all their turns with a full window, at list prices, without the agents that they start).",
    );
    expect(said(starters({ usd: 1 }), rich)).toContain("$2.00 at most (their budgets).");
  });

  test("shows no figure if it is free or a price is unknown", () => {
    const of = (model: string) => many(8).map((one) => ({ ...one, model }));
    expect(estimateCost(of("offline"), rich)).toBeNull();
    expect(estimateCost([...many(3), ...of("their-model")], rich)).toBeNull();
    expect(estimateCost([], rich)).toBeNull();
    expect(estimateCost([...many(1, { usd: 1 }), ...of("offline")], rich)).toMatchObject({
      mostUsd: 1,
      agents: 9,
    });
  });
});

describe("a question above a threshold, a line if no user can be asked, never a refusal", () => {
  const of = (
    candidates: readonly PlannedAgent[],
    known: EstimateInput = rich,
    aboveUsd = 1,
    asks = true,
  ) => {
    const quoted = estimateCost(candidates, known);
    return quoted && approvalNeeded(quoted, { aboveUsd, asks });
  };

  const likely = (usd: number): EstimateInput => ({ ...rich, past: () => usd });

  test("above, not at it; 0 is always", () => {
    expect(of(many(2), likely(0.5))).toBeNull();
    expect(of(many(2), likely(0.51))).toBe("ask");
    expect(of(many(2), likely(0.51), 1, false)).toBe("say");
    expect(of(many(2), likely(0.001), 0)).toBe("ask");
  });

  test("the upper bound alone is no reason to ask", () => {
    expect(of(many(8), likely(0.03))).toBeNull();
  });

  test("does not ask for a single agent", () => {
    expect(of(many(1), likely(9))).toBeNull();
  });
});
