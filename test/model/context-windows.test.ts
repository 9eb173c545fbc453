import { expect, test } from "vitest";
import { windowFor } from "../../src/features/compaction/windows.ts";
import { contextWindowOf, UNKNOWN_WINDOW } from "../../src/model/known-models.ts";
import { DEFAULT_ALIASES } from "../../src/model/model-names.ts";

test("a window is its model's own, with a date or without, or what settings say (A19.5)", () => {
  for (const id of Object.values(DEFAULT_ALIASES)) expect(contextWindowOf(id)).toBe(1_000_000);
  expect(contextWindowOf("claude-sonnet-4-20250514")).toBe(200_000);
  expect(contextWindowOf("somebody's")).toBe(UNKNOWN_WINDOW);
  expect(contextWindowOf("somebody's", { "somebody's": 8_192 })).toBe(8_192);
  expect(contextWindowOf("claude-opus-5-5-20261001", { "claude-opus-5-5": 300_000 })).toBe(300_000);
});

test("an impossible share becomes the usual one, or the nearest possible", () => {
  expect(windowFor("x", { at: Number.NaN }).compactAt).toBe(0.9);
  expect(windowFor("x", { at: 7 }).compactAt).toBe(1);
  expect(windowFor("x", { at: 0, auto: false })).toMatchObject({ compactAt: 0.1, auto: false });
});
