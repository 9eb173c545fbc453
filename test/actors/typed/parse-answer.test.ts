import fc from "fast-check";
import { expect, test } from "vitest";
import { checkData } from "../../../src/actors/check-data.ts";
import { parseAnswer } from "../../../src/actors/ending.ts";

const foundIn = (text: string) => {
  const found = parseAnswer(text);
  return found.type === "data" ? found.value : found;
};

test.each([
  ["bare", '{"a":1}', { a: 1 }],
  ["with space around", "\n  [1, 2]\n", [1, 2]],
  ["a fenced block", 'So:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
  ["a fence without a name", '```\n{"a":1}\n```', { a: 1 }],
  ["a fence with tildes", '~~~json\n{"a":1}\n~~~', { a: 1 }],
  ["the last of several blocks", '```json\n{"a":1}\n```\nno, rather:\n```json\n{"a":2}\n```', { a: 2 }],
  ["a block of code before it", '```ts\nconst a = {};\n```\n```json\n{"a":2}\n```\n', { a: 2 }],
  ["in a sentence", 'The answer is {"a": {"b": 2}}.', { a: { b: 2 } }],
  ["a list in a sentence", "The answer is [1, 2].", [1, 2]],
  ["a fence inside a string of the data", JSON.stringify({ a: "```json\n1\n```" }), { a: "```json\n1\n```" }],
])("the data in an answer is found: %s", (_, text, value) => {
  expect(foundIn(text)).toEqual(value);
});

test.each([
  ["", "is empty"],
  ["None.", "is no JSON"],
  ["{a: 1}", "is no JSON: "],
  ["```json\n{\n```", "is no JSON: "],
])("says why text is not data: %j", (text, reason) => {
  expect(foundIn(text)).toMatchObject({ type: "none", reason: expect.stringContaining(reason) });
});

test("whatever JSON is answered, bare or fenced, is what was meant", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, pretty) => {
      const text = JSON.stringify(value, null, pretty ? 2 : 0);
      expect(foundIn(text)).toEqual(JSON.parse(text));
      expect(foundIn(`Here:\n\`\`\`json\n${text}\n\`\`\`\n`)).toEqual(JSON.parse(text));
    }),
  );
});

test("no text is too odd to be looked through", () => {
  fc.assert(fc.property(fc.string(), (text) => void parseAnswer(text)));
});

test("older drafts and odd schemas are checked as they say", () => {
  const draft4 = { $schema: "http://json-schema.org/draft-04/schema#", minimum: 3, exclusiveMinimum: true };
  expect(checkData(draft4, 3)).toMatchObject({ type: "misfit" });
  expect(checkData({ anyOf: [{ type: "string" }, { type: "null" }] }, 1)).toMatchObject({
    type: "misfit",
  });
  expect(checkData({ pattern: "(" }, "x")).toMatchObject({ type: "unusable" });
  expect(checkData({ items: { type: "integer" } }, Array(50).fill("x"))).toMatchObject({
    type: "misfit",
    complaints: expect.toSatisfy((lines: string[]) => lines.length === 10),
  });
});
