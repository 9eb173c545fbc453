/**
 * Returns why the Messages API would refuse a whole request for this schema of a tool, as half a sentence, or null. MCP
 * servers write such schemas, and one that is refused would end every request that contains it.
 */
export function refusedSchema(schema: unknown): string | null {
  if (!isObject(schema) || schema["type"] !== "object") return "it is not of type object";
  const combined = ["oneOf", "allOf", "anyOf"].find((keyword) => Object.hasOwn(schema, keyword));
  if (combined !== undefined) return `it has ${combined} at its top`;
  const broken = brokenAt(schema, "", 0);
  if (broken !== null) return `${broken || "it"} is not a JSON Schema of draft 2020-12`;
  const fields = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const odd = fields.find((field) => !FIELD.test(field));
  return odd === undefined
    ? null
    : `its field ${JSON.stringify(odd.slice(0, 64))} has a name that is not allowed`;
}

const FIELD = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_DEPTH = 64;
const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "string", "integer"];

type Check = (value: unknown, path: string, depth: number) => string | null;

const one: Check = (value, path, depth) => brokenAt(value, path, depth + 1);

const each: Check = (value, path, depth) =>
  isObject(value)
    ? firstOf(Object.entries(value), ([key, inner]) => brokenAt(inner, `${path}.${key}`, depth + 1))
    : path;

const list: Check = (value, path, depth) =>
  Array.isArray(value) && value.length > 0
    ? firstOf([...value.entries()], ([at, inner]) => brokenAt(inner, `${path}[${at}]`, depth + 1))
    : path;

const names: Check = (value, path) => (isNames(value) ? null : path);

const namesOfEach: Check = (value, path) =>
  isObject(value) && Object.values(value).every(isNames) ? null : path;

const only =
  (fits: (value: unknown) => boolean): Check =>
  (value, path) =>
    fits(value) ? null : path;

const count = only((value) => Number.isInteger(value) && Number(value) >= 0);
const number = only((value) => typeof value === "number");
const text = only((value) => typeof value === "string");
const yesOrNo = only((value) => typeof value === "boolean");
const values = only(Array.isArray);
const type = only((value) =>
  Array.isArray(value)
    ? value.length > 0 && new Set(value).size === value.length && value.every((kind) => TYPES.includes(kind))
    : TYPES.includes(value),
);

/** What the draft requires of each keyword; unknown keywords may be anything. */
const KEYWORDS = new Map<string, Check>([
  ...["additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames"].map(to(one)),
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"].map(to(one)),
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"].map(to(each)),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map(to(list)),
  ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"].map(to(count)),
  ...["maxContains", "minContains"].map(to(count)),
  ...["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"].map(to(number)),
  ...["title", "description", "pattern", "format", "$ref", "$id", "$schema", "$anchor", "$comment"].map(
    to(text),
  ),
  ...["uniqueItems", "deprecated", "readOnly", "writeOnly"].map(to(yesOrNo)),
  ...["enum", "examples"].map(to(values)),
  ["type", type],
  ["required", names],
  ["dependentRequired", namesOfEach],
  ["multipleOf", only((value) => typeof value === "number" && value > 0)],
]);

function to(check: Check): (keyword: string) => [string, Check] {
  return (keyword) => [keyword, check];
}

/** Returns the path to what is broken (empty: the top), or null. */
function brokenAt(schema: unknown, path: string, depth: number): string | null {
  if (typeof schema === "boolean" && depth > 0) return null;
  if (!isObject(schema) || depth > MAX_DEPTH) return path;
  return firstOf(Object.entries(schema), ([keyword, value]) => {
    const check = KEYWORDS.get(keyword);
    return check ? check(value, path === "" ? keyword : `${path}.${keyword}`, depth) : null;
  });
}

function firstOf<Item>(items: readonly Item[], look: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}

function isNames(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === "string") &&
    new Set(value).size === value.length
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
