import { expect, test } from "vitest";
import { misspelledKeys } from "../../../src/context/markdown/fields.ts";
import { readFrontMatter } from "../../../src/context/markdown/read-markdown.ts";

const KNOWN = ["name", "description", "tools", "model", "disable-model-invocation"];
const WORDS = { of: "an agent", known: KNOWN, meant: { "allowed-tools": "tools" } };

async function faultsOf(...lines: string[]) {
  const read = await readFrontMatter(["---", ...lines, "---", "Text"].join("\n"));
  if (read.type !== "read") throw new Error(read.type);
  return misspelledKeys(read.fields, WORDS);
}

test.each([
  ["desciption: x", "desciption is not a key of an agent, so it does not count; the nearest is description."],
  ["Tool: x", "Tool is not a key of an agent, so it does not count; the nearest is tools."],
  ["allowedTools: x", "allowedTools is not a key of an agent, so it does not count; the nearest is tools."],
  [
    "disable_model_invokation: true",
    "disable_model_invokation is not a key of an agent, so it does not count; the nearest is disable-model-invocation.",
  ],
])("%s is reported with its line and the nearest name", async (line, message) => {
  const meant = message.slice(message.lastIndexOf(" ") + 1, -1);
  expect(await faultsOf("other: y", line)).toEqual([{ line: 3, message, meant }]);
});

test.each([
  ["what is known, whatever its case and separators", ["Disable_Model-Invocation: true", "NAME: x"]],
  ["what people note and other programs read", ["color: red", "mode: all", "tags: [a]", "version: 1"]],
  ["what is near a key that stands there as well", ["tools: Read", "tool: x"]],
  ["a key without a value", ["tool:"]],
])("%s is left alone", async (_, lines) => {
  expect(await faultsOf(...lines)).toEqual([]);
});

test("reports a limited number of keys", async () => {
  const many = Array.from(
    { length: 40 },
    (_, n) => `modl${"abcdefghijklmnopqrstuvwxyz0123456789_äöüß"[n]}: x`,
  );
  expect((await faultsOf(...many)).length).toBeLessThanOrEqual(5);
});
