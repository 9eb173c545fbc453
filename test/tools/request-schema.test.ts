import { describe, expect, test } from "vitest";
import { everyBuiltInTool } from "../../scripts/tools-doc/every-tool.ts";
import { refusedSchema } from "../../src/tools/definition.ts";
import { definitionOf } from "../support/definition-of.ts";

const of = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("schemas for which the Messages API refuses a request (fault 58)", () => {
  test.each([
    [{ type: "object", oneOf: [{ required: ["a"] }] }, "it has oneOf at its top"],
    [of({}, { anyOf: [{}] }), "it has anyOf at its top"],
    [of({ "DateCreated<": { type: "string" } }), 'its field "DateCreated<" has a name that is not allowed'],
    [of({ ["a".repeat(65)]: {} }), `its field "${"a".repeat(64)}" has a name that is not allowed`],
    [of({ a: { type: "int" } }), "properties.a.type is not a JSON Schema of draft 2020-12"],
    [of({ a: { type: ["string", null] } }), "properties.a.type is not a JSON Schema of draft 2020-12"],
    [of({ a: 5 }), "properties.a is not a JSON Schema of draft 2020-12"],
    [of({ a: { type: "array", items: [{}] } }), "properties.a.items is not a JSON Schema of draft 2020-12"],
    [
      of({ a: { anyOf: [{}, { enum: "x" }] } }),
      "properties.a.anyOf[1].enum is not a JSON Schema of draft 2020-12",
    ],
    [of({}, { required: "a" }), "required is not a JSON Schema of draft 2020-12"],
    [of({}, { required: ["a", "a"] }), "required is not a JSON Schema of draft 2020-12"],
    [of({ a: { required: true } }), "properties.a.required is not a JSON Schema of draft 2020-12"],
    [of({ a: { minimum: 1, exclusiveMinimum: true } }), "properties.a.exclusiveMinimum is no"],
    [of({ a: { minLength: -1 } }), "properties.a.minLength is no"],
    [{ type: "object", properties: [] }, "properties is no"],
    [{ type: "array" }, "it is not of type object"],
    [null, "it is not of type object"],
  ])("%j: %s", (schema, why) => {
    expect(refusedSchema(schema)).toContain(why);
  });

  test.each([
    { type: "object" },
    of({ a: { oneOf: [{ type: "string" }, { type: "null" }] }, b: true }),
    of({ "a.b-c_D9": { $ref: "#/$defs/x" } }, { $defs: { x: { type: ["string", "null"] } } }),
    of({ a: { type: "array", items: { type: "string" }, minItems: 1 } }, { additionalProperties: false }),
    of({ type: { type: "string" }, required: { type: "boolean" } }, { required: ["type"] }),
    of({ a: { type: "number", minimum: 0, multipleOf: 0.5, default: null, "x-theirs": [1] } }),
    of({ a: { not: {} } }, { $schema: "http://json-schema.org/draft-07/schema#" }),
  ])("%j is sent as it is", (schema) => {
    expect(refusedSchema(schema)).toBeNull();
  });

  test("none of our own is refused", () => {
    for (const { tool } of everyBuiltInTool()) {
      expect([tool.name, refusedSchema(definitionOf(tool).input_schema)]).toEqual([tool.name, null]);
    }
  });

  test("one without end has an end here", () => {
    const endless = Array.from({ length: 10_000 }).reduce<object>((inner) => ({ not: inner }), {});
    expect(refusedSchema(of({ a: endless }))).toMatch(/is not a JSON Schema/);
  });
});
