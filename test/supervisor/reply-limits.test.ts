import { expect, test } from "vitest";
import { supervised } from "../support/supervised.ts";

async function maxTokensOf(model: string, limits: { maxTokens?: number } = {}) {
  const { supervisor, model: asked } = supervised("in-thread", [{ text: "ok" }], { model, limits });
  await supervisor.prompt("go");
  return asked.requests[0]?.maxTokens;
}

test("max_tokens follows the model's own limit; 16,000 where it is not known (A1.5)", {
  tags: ["long"],
}, async () => {
  expect(await maxTokensOf("claude-sonnet-5-5")).toBe(128_000);
  expect(await maxTokensOf("claude-opus-4-1-20250805")).toBe(32_000);
  // A sixth of 200,000: the window must hold the conversation, too.
  expect(await maxTokensOf("claude-haiku-4-5")).toBe(33_333);
  expect(await maxTokensOf("their-model")).toBe(16_000);
});

test("what the user wants holds, as far as the model can", async () => {
  expect(await maxTokensOf("claude-sonnet-5-5", { maxTokens: 8_000 })).toBe(8_000);
  expect(await maxTokensOf("claude-opus-4-1", { maxTokens: 100_000 })).toBe(32_000);
  expect(await maxTokensOf("their-model", { maxTokens: 100_000 })).toBe(66_666);
});
