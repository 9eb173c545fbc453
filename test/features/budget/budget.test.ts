import { describe, expect, test } from "vitest";
import { amount, budgetOfType, tightestBudget } from "../../../src/features/budget/budget.ts";
import {
  estimateAfter,
  estimateAtStart,
  prospectOf,
  soundUsage,
} from "../../../src/features/budget/request-estimate.ts";
import { formatDollars, span } from "../../../src/lib/text.ts";
import { noUsage } from "../../../src/mailbox/conversation.ts";
import { id, ledger, MODEL, PRICES } from "./accounts.ts";

describe("budgets of agent types (issue 5 item 6)", () => {
  test("of all that is set for a type the smallest counts, whatever its case and separators", () => {
    const budgets = [
      { type: "code-reviewer", usd: 1, minutes: 20 },
      { type: "codeReviewer", usd: 0.5, turns: 9 },
      { type: "Explore", tokens: 1 },
    ];
    expect(budgetOfType(["code_reviewer"], budgets)).toEqual({ usd: 0.5, turns: 9, ms: 1_200_000 });
    expect(budgetOfType(["reviewer", "Code Reviewer"], budgets, 5)).toEqual({
      usd: 0.5,
      turns: 9,
      ms: 300_000,
    });
    expect(budgetOfType(["Plan"], budgets)).toEqual({});
    expect(budgetOfType(["Plan"], budgets, 30)).toEqual({ ms: 1_800_000 });
    expect(tightestBudget({ usd: 1 }, {}, { usd: 2, tokens: 5 })).toEqual({ usd: 1, tokens: 5 });
  });
});

describe("what a request is likely to take", () => {
  const usage = { ...noUsage, input_tokens: 100, output_tokens: 50 };
  const about = { model: MODEL, summaryTokens: 2000, replyMs: 3000 };
  const heard = { role: "user" as const, content: "x".repeat(9_000) };

  test("the last prompt with what the turn added, then a summary in place of an ordinary reply", () => {
    const said = { role: "assistant" as const, content: "y".repeat(90_000) };
    const estimate = estimateAfter({ usage, messages: [said, heard] }, about);
    expect(estimate).toEqual({
      ...about,
      promptTokens: 3150,
      cachedTokens: 0,
      replyTokens: 1000,
      growthTokens: 3050,
    });
    expect(prospectOf(estimate, PRICES)).toMatchObject({
      next: { usd: 4.15e9, tokens: 4150, turns: 1 },
      lastNow: { usd: 5.15e9, tokens: 5150, turns: 1 },
      lastLater: { usd: 8.2e9, tokens: 8200, turns: 1 },
    });
  });

  test("who was served from a cache will be again, and pays for adding to it", () => {
    const prices = { [MODEL]: { input: 1000, output: 0, cacheWrite: 1250, cacheRead: 100 } };
    const cached = {
      ...usage,
      input_tokens: 0,
      cache_read_input_tokens: 8000,
      cache_creation_input_tokens: 2000,
    };
    const estimate = estimateAfter({ usage: cached, messages: [] }, about);
    expect(estimate).toMatchObject({ promptTokens: 10_050, cachedTokens: 10_000 });
    expect(prospectOf(estimate, prices).next.usd).toBe(1e9 + 0.0625e9);
  });

  test("results of tools are counted by their text, images as one measure each", () => {
    const picture = { type: "base64" as const, media_type: "image/png" as const, data: "A".repeat(99_999) };
    const content = [
      { type: "tool_result" as const, tool_use_id: "1", content: "x".repeat(300) },
      {
        type: "tool_result" as const,
        tool_use_id: "2",
        content: [
          { type: "text" as const, text: "xxx" },
          { type: "image" as const, source: picture },
        ],
      },
      { type: "tool_result" as const, tool_use_id: "3" },
    ];
    expect(estimateAfter({ usage: noUsage, messages: [{ role: "user", content }] }, about).promptTokens).toBe(
      1701,
    );
    expect(estimateAtStart(["xxx", "xxxx"], about).promptTokens).toBe(3);
  });

  test("limits the effect of a count that is not a number to itself", () => {
    const odd = { ...usage, input_tokens: Number.NaN, cache_read_input_tokens: -5 };
    expect(soundUsage(odd)).toEqual({ ...noUsage, output_tokens: 50 });
    const session = ledger({});
    expect(session.spend(id("A"), MODEL, odd).usd).toBe(0.05);
    expect(session.spent(null)).toEqual({ usd: 0.05, tokens: 50, turns: 1 });
  });
});

test("amounts are said as people read them", () => {
  expect([0, 0.00001, 0.0042, 0.0099, 0.009951, 0.48, 1200].map(formatDollars)).toEqual([
    "$0.00",
    "less than $0.0001",
    "$0.0042",
    "$0.0099",
    "$0.01",
    "$0.48",
    "$1,200.00",
  ]);
  expect([amount("tokens", 1), amount("turns", 2500), amount("usd", 5e8)]).toEqual([
    "1 token",
    "2,500 turns",
    "$0.50",
  ]);
  expect([300, 1_500, 60_000, 90_000, 630_000, 3_600_000].map(span)).toEqual([
    "300 ms",
    "2 s",
    "1 min",
    "90 s",
    "10 min 30 s",
    "60 min",
  ]);
});
