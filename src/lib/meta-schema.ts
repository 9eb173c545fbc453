import { isObject, type JsonObject } from "./json.ts";
import { jsonCheck } from "./json-schema.ts";
import { lazy } from "./lazy.ts";

export const JSON_TYPES: readonly string[] = "string number integer boolean object array null".split(" ");
const ref = (value: string) => ({ $ref: `#/$defs/${value}` });
/** Reports the list, not the item. */
const listOf = (schema: JsonObject) => ({
  not: { type: "array", contains: { not: schema } },
  uniqueItems: true,
});

/** The values that keywords may have. A title ends a sentence that begins with the path of one. */
const values = () => ({
  anything: {},
  schema: { type: ["object", "boolean"], ...ref("keywords"), title: "must be a schema" },
  schemas: { type: "array", items: ref("schema"), title: "must be a list of schemas" },
  someSchemas: { minItems: 1, ...ref("schemas"), title: "must be a list of schemas" },
  oneOrMore: {
    ...{ type: ["object", "boolean", "array"], ...ref("keywords"), items: ref("schema") },
    title: "must be a schema",
  },
  named: { type: "object", additionalProperties: ref("schema"), title: "must be schemas by name" },
  byPattern: {
    ...ref("named"),
    propertyNames: { format: "regex", title: "must be named by a regular expression" },
  },
  pattern: { type: "string", format: "regex", title: "must be a regular expression" },
  names: { type: "array", ...listOf({ type: "string" }), title: "must be a list of names" },
  namesOrFlag: {
    ...{ type: ["array", "boolean"], ...listOf({ type: "string" }) },
    title: "must be a list of names",
  },
  namesByName: { type: "object", additionalProperties: ref("names"), title: "must be keys with values" },
  dependencies: {
    ...{ type: "object", title: "must be keys with values" },
    additionalProperties: {
      ...{ type: ["object", "boolean", "array"], ...ref("keywords"), ...listOf({ type: "string" }) },
      title: "must be a schema or a list of names",
    },
  },
  number: { type: "number", title: "must be a number" },
  numberOrFlag: { type: ["number", "boolean"], title: "must be a number" },
  positive: { type: "number", exclusiveMinimum: 0, title: "must be a number above 0" },
  length: { type: "integer", minimum: 0, title: "must be a whole number from 0" },
  text: { type: "string", title: "must be text" },
  flag: { type: "boolean", title: "must be true or false" },
  values: { type: "array", title: "must be a list of values" },
  type: {
    anyOf: [{ enum: JSON_TYPES }, { type: "array", minItems: 1, ...listOf({ enum: JSON_TYPES }) }],
    title: `must be one of ${JSON_TYPES.slice(0, -1).join(", ")} and null, or a list of them`,
  },
});

type Keywords = Readonly<Partial<Record<keyof ReturnType<typeof values>, string>>>;

const ANY_DRAFT: Keywords = {
  schema:
    "additionalItems additionalProperties contains else if not propertyNames then unevaluatedItems unevaluatedProperties",
  schemas: "allOf anyOf oneOf prefixItems",
  oneOrMore: "items",
  named: "properties $defs definitions dependentSchemas",
  byPattern: "patternProperties",
  pattern: "pattern",
  namesOrFlag: "required",
  namesByName: "dependentRequired",
  dependencies: "dependencies",
  number: "minimum maximum multipleOf",
  numberOrFlag: "exclusiveMinimum exclusiveMaximum",
  length: "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
  text: "$ref $dynamicRef $recursiveRef",
  values: "enum",
  type: "type",
  anything:
    "$anchor $comment $dynamicAnchor $id $recursiveAnchor $schema $vocabulary const contentEncoding contentMediaType contentSchema default deprecated description examples format id nullable readOnly title uniqueItems writeOnly",
};

/** What draft 2020-12 says otherwise. */
const STRICT: Keywords = {
  schema: "items contentSchema",
  someSchemas: "allOf anyOf oneOf prefixItems",
  named: "patternProperties",
  names: "required",
  number: "exclusiveMinimum exclusiveMaximum",
  positive: "multipleOf",
  text: "title description pattern format $id $schema $anchor $comment",
  flag: "uniqueItems deprecated readOnly writeOnly",
  values: "examples",
  anything: "additionalItems dependencies $dynamicRef $recursiveRef",
};

const checks = {
  anyDraft: lazy(() => jsonCheck(metaSchema(ANY_DRAFT))),
  draft2020: lazy(() => jsonCheck(metaSchema(ANY_DRAFT, STRICT))),
};

function metaSchema(...drafts: readonly Keywords[]): JsonObject {
  const rows = drafts.flatMap((draft) => Object.entries(draft));
  const properties = rows.flatMap(([value, keywords]) => keywords.split(" ").map((key) => [key, ref(value)]));
  return {
    ...ref("schema"),
    $defs: { ...values(), keywords: { properties: Object.fromEntries(properties) } },
  };
}

/** True for a keyword of any draft. */
export function isKeyword(key: string): boolean {
  return Object.values(ANY_DRAFT).some((keywords) => keywords.split(" ").includes(key));
}

/** Levels of objects and lists. A schema that contains itself has no end. */
const MAX_DEPTH = 100;

export interface SchemaFault {
  /** The names from the top to what is wrong. */
  readonly path: readonly string[];
  /** Ends a sentence that begins with the path. */
  readonly text: string;
}

/**
 * Returns what is wrong in a JSON Schema, or null. Unknown keywords are ignored, as the standard says. Only `anyDraft`
 * compiles patterns.
 */
export function schemaFault(schema: JsonObject, draft: keyof typeof checks): SchemaFault | null {
  if (isDeeper(schema, MAX_DEPTH)) return { path: [], text: `it is nested more than ${MAX_DEPTH} deep` };
  const checked = checks[draft]()(schema);
  const misfits = checked.type === "misfit" ? checked.misfits : [];
  for (const { path, schema: value } of misfits) {
    const title = isObject(value) ? value["title"] : undefined;
    if (typeof title === "string") return { path, text: title };
  }
  return null;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (!isObject(value) && !Array.isArray(value)) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}
