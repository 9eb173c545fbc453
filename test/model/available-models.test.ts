import { expect, test } from "vitest";
import { firstAvailable, modelRefusal } from "../../src/model/model-names.ts";

test.each<[string, boolean, readonly (readonly string[])[], Readonly<Record<string, string>>?]>([
  ["opus", true, []],
  ["opus", true, [["opus"]]],
  ["OPUS", true, [["opus"]]],
  ["claude-opus-4-1", true, [["opus"]]],
  ["claude-3-5-haiku-20241022", true, [["haiku"]]],
  ["us.anthropic.claude-opus-4-1-v1:0", true, [["opus"]]],
  ["sonnet", false, [["opus"]]],
  ["claude-opus-4-5-20251101", true, [["claude-opus-4-5"]]],
  ["claude-opus-4-5[1m]", true, [["opus-4-5"]]],
  ["claude-opus-4-55", false, [["opus-4-5"]]],
  ["opus", false, [["claude-opus-4-5"]]],
  ["sonnet", true, [[]]],
  ["opus", false, [[]]],
  ["opus", false, [["opus", "haiku"], ["haiku"]]],
  ["haiku", true, [["opus", "haiku"], ["haiku"]]],
  ["opus", false, [["opus"]], { opus: "claude-sonnet-5-5" }],
  ["opus", true, [["opus"]], { opus: "my-model" }],
  ["other-model", false, [["opus"]], { opus: "my-model" }],
  ["qwen-3", true, [["qwen-3"]]],
  ["offline", true, [["opus"]]],
])("%s is available: %s, if files list %j", (model, isAvailable, lists, aliases) => {
  expect(modelRefusal(model, lists, aliases) === null).toBe(isAvailable);
});

test("the first model of all lists takes the place of a default that is not available", () => {
  expect(firstAvailable([["opus", "haiku"], ["haiku"]], {})).toBe("haiku");
  expect(firstAvailable([["opus"], ["haiku"]], {})).toBeUndefined();
  expect(modelRefusal("opus", [["haiku", "sonnet"]])).toBe(
    "The model opus is not among availableModels of your settings (haiku, sonnet); choose one of these.",
  );
});
