import fc from "fast-check";
import { expect, test } from "vitest";
import { boundsOf, overflowOf, USUAL_WINDOW } from "../../../src/context/compaction/bounds.ts";
import { tokensOfBlocks, tokensOfText } from "../../../src/context/compaction/tokens.ts";

test("an ordinary window: the wanted reply, and room for a last one behind the threshold (C24)", () => {
  const bounds = boundsOf(USUAL_WINDOW, { maxTokens: 16_000 });
  expect(bounds).toMatchObject({ reply: 16_000, full: 180_000, limit: 171_000 });
});

test("whatever the window: a reply fits behind what may be sent, and nothing is negative", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.double({ min: 0.1, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 200_000 }),
      fc.oneof(fc.constant(0), fc.nat(50_000)),
      (tokens, compactAt, maxTokens, thinkingTokens) => {
        const bounds = boundsOf({ tokens, compactAt, auto: true }, { maxTokens, thinkingTokens });
        for (const value of Object.values(bounds)) expect(value).toBeGreaterThanOrEqual(0);
        expect(bounds.reply).toBeLessThanOrEqual(maxTokens);
        expect(bounds.limit).toBeLessThanOrEqual(Math.max(1, bounds.full));
        if (thinkingTokens === 0)
          expect(bounds.full + bounds.reply).toBeLessThanOrEqual(Math.max(1_000, tokens));
      },
    ),
    { seed: 5 },
  );
});

test("prefers the window that a server reports", () => {
  expect(boundsOf(USUAL_WINDOW, { maxTokens: 1_000 }, 8_000).full).toBeLessThan(8_000);
});

test.each([
  ["prompt is too long: 210000 tokens > 200000 maximum", 200_000],
  ["input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease", 200_000],
  ["This model's maximum context length is 32,768 tokens. However, you requested", 32_768],
  ["the request exceeds the available context size (4096 tokens)", 4_096],
  ["big", null],
])("%s", (message, window) => {
  expect(overflowOf({ type: "failure", failure: { kind: "too_large", message } })).toEqual({ window });
});

test("other failures are no overflow", () => {
  expect(overflowOf({ type: "failure", failure: { kind: "server", message: "too long > 5000" } })).toBeNull();
});

test("text that is not English counts for what it is; images and pages count without their bytes", () => {
  expect(tokensOfText("a".repeat(700))).toBe(200);
  expect(tokensOfText("你好".repeat(100))).toBe(200);
  const data = "A".repeat(400_000);
  const source = { type: "base64" as const, media_type: "image/png" as const, data };
  expect(tokensOfBlocks([{ type: "image", source }])).toBeLessThan(2_000);
});
