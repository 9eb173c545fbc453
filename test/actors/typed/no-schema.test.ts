import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { whyNoSchema } from "../../../src/context/agents/check-problem.ts";
import { outputJsonSchema } from "../../../src/features/agents/json-schema-of.ts";
import { supervised } from "../../support/supervised.ts";

const of = (schema: Record<string, unknown>) => whyNoSchema(schema);
const property = (n: unknown) => ({ type: "object", properties: { n } });

describe("reports an invalid JSON Schema with its path, before an agent works for it", () => {
  test.each([
    [
      "a type that there is not",
      { type: "strng" },
      /\/type must be one of string, .*null, or a list of them/,
    ],
    ["a type in a property", property({ type: "int" }), /\/properties\/n\/type must be one of/],
    ["a list with such a type", { type: ["string", "void"] }, /\/type must be/],
    ["properties that are none", { properties: 5 }, /\/properties must be schemas by name/],
    ["a property that is a word", property("string"), /\/properties\/n must be a schema/],
    ["required that is a word", { required: "name" }, /\/required must be a list of names/],
    ["items that are a word", { items: "string" }, /\/items must be a schema/],
    ["anyOf without a list", { anyOf: { type: "null" } }, /\/anyOf must be a list of schemas/],
    ["a choice in a list", { anyOf: [{ type: "x" }] }, /\/anyOf\/0\/type must be/],
    ["enum without a list", { enum: "yes" }, /\/enum must be a list of values/],
    [
      "a pattern that is none",
      property({ pattern: "(" }),
      /\/properties\/n\/pattern must be a regular expression/,
    ],
    [
      "a pattern for names",
      { patternProperties: { "[": {} } },
      /\/patternProperties\/\[ must be named by a reg/,
    ],
    ["a limit in words", { minimum: "one" }, /\/minimum must be a number/],
    ["a length below 0", { minLength: -1 }, /\/minLength must be a whole number from 0/],
    ["a reference that is none", { $ref: 5 }, /\/\$ref must be text/],
    [
      "properties alone, without their key",
      { name: { type: "string" } },
      /has no keyword of JSON Schema: name/,
    ],
    ["names and words", { name: "string", size: "number" }, /has no keyword of JSON Schema: name, size/],
  ])("%s", (_, schema, why) => {
    expect(of(schema)).toMatch(why);
    expect(() => outputJsonSchema(schema)).toThrow(why);
  });

  test.each<[string, Record<string, unknown>]>([
    ["none at all", {}],
    [
      "true and false in place of schemas",
      { properties: { a: true, b: false }, additionalProperties: false },
    ],
    ["items of earlier drafts", { items: [{ type: "string" }], additionalItems: false }],
    ["limits of draft 4", { type: "number", minimum: 1, exclusiveMinimum: true }],
    ["a property that is called as a keyword is", property({ properties: { type: { type: "string" } } })],
    [
      "what enum, const, default and examples hold",
      { enum: [{ type: "x" }], const: { type: 5 }, default: { items: 1 } },
    ],
    ["keywords of its own beside others", { type: "string", errorMessage: "no", "x-note": 1 }],
    ["definitions", { $ref: "#/$defs/a", $defs: { a: { type: "string" } }, definitions: {} }],
    [
      "names that depend on others",
      { dependencies: { a: ["b"], c: { required: ["d"] } }, dependentRequired: { a: ["b"] } },
    ],
    ["only words about it", { title: "Anything", description: "All will do." }],
  ])("%s is one", (_, schema) => expect(of(schema)).toBeNull());

  test("accepts what zod generates", () => {
    const schema = z.object({
      a: z.optional(z.union([z.string().check(z.regex(/^a-\d+$/)), z.null()])),
      b: z.record(z.string(), z.array(z.tuple([z.number(), z.literal("x")]))),
      c: z.enum(["x", "y"]),
      d: z.email(),
    });
    expect(outputJsonSchema(schema)).toMatchObject({ type: "object" });
  });

  test("one that contains itself, or is nested without an end, is looked at in time", () => {
    const deep: Record<string, unknown> = {};
    let at = deep;
    for (let n = 0; n < 5_000; n++) {
      const next: Record<string, unknown> = {};
      at["not"] = next;
      at = next;
    }
    expect(of(deep)).toMatch(/nested more than 100 deep/);
    const circle: Record<string, unknown> = {};
    circle["anyOf"] = [circle];
    expect(of(circle)).toMatch(/nested more than 100 deep/);
  });

  test("starts no agent for a call with such a schema, and its model can correct it", async () => {
    const input = { description: "d", prompt: "p", output_schema: { name: "string" } };
    let asked = 0;
    const replies = [{ calls: [{ name: "Agent", input }] }, { text: "I see." }];
    const { supervisor, model } = supervised("in-thread", () => replies[asked++] ?? { text: "no more" });
    await supervisor.prompt("Go.");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(
      "output_schema has no keyword of JSON Schema: name",
    );
    expect(supervisor.tree()).toHaveLength(1);
  });
});
