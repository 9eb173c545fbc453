/** The agent gets it in its prompt, and again with each retry. */
const MOST_SCHEMA_CHARS = 20_000;
const MOST_DEPTH = 100;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Checks the value of a keyword, and formats the problem for a sentence. */
type Rule = (value: unknown, at: Place) => string | null;
interface Place {
  /** Of the value. */
  readonly path: string;
  readonly depth: number;
}

const schema: Rule = (value, { path, depth }) => {
  if (typeof value === "boolean") return null;
  return isObject(value) ? faultIn(value, { path, depth }) : `${path} must be a schema`;
};

const schemas: Rule = (value, at) =>
  Array.isArray(value) ? first(value.entries(), at, schema) : `${at.path} must be a list of schemas`;

const named: Rule = (value, at) =>
  isObject(value) ? first(Object.entries(value), at, schema) : `${at.path} must be schemas by name`;

const namesOrSchema: Rule = (value, at) => (Array.isArray(value) ? names(value, at) : schema(value, at));

const names: Rule = (value, { path }) =>
  Array.isArray(value) && value.every((one) => typeof one === "string")
    ? null
    : `${path} must be a list of names`;

const number: Rule = (value, { path }) => (typeof value === "number" ? null : `${path} must be a number`);

const length: Rule = (value, { path }) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0
    ? null
    : `${path} must be a whole number from 0`;

const text: Rule = (value, { path }) => (typeof value === "string" ? null : `${path} must be text`);

const anything: Rule = () => null;

const type: Rule = (value, { path }) =>
  (Array.isArray(value) ? value : [value]).every((one) => TYPES.includes(one))
    ? null
    : `${path} must be one of ${TYPES.slice(0, -1).join(", ")} and ${TYPES.at(-1)}, or a list of them`;

const KEYWORDS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", type],
  ["enum", (value, { path }) => (Array.isArray(value) ? null : `${path} must be a list of values`)],
  ["required", (value, at) => (typeof value === "boolean" ? null : names(value, at))],
  ["pattern", (value, { path }) => (isPattern(value) ? null : `${path} must be a regular expression`)],
  [
    "patternProperties",
    (value, at) => {
      const wrong = isObject(value) ? Object.keys(value).find((key) => !isPattern(key)) : undefined;
      return wrong === undefined
        ? named(value, at)
        : `${at.path}/${wrong} must be named by a regular expression`;
    },
  ],
  // In draft 4 these two are booleans next to minimum and maximum.
  ...["exclusiveMinimum", "exclusiveMaximum"].map((key): [string, Rule] => [
    key,
    (value, at) => (typeof value === "boolean" ? null : number(value, at)),
  ]),
  ["items", (value, at) => (Array.isArray(value) ? schemas(value, at) : schema(value, at))],
  ["dependencies", byName(namesOrSchema)],
  ["dependentRequired", byName(names)],
  ...each(named, ["properties", "$defs", "definitions", "dependentSchemas"]),
  ...each(schemas, ["allOf", "anyOf", "oneOf", "prefixItems"]),
  ...each(schema, [
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "not",
    "propertyNames",
  ]),
  ...each(schema, ["then", "unevaluatedItems", "unevaluatedProperties"]),
  ...each(number, ["minimum", "maximum", "multipleOf"]),
  ...each(length, ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]),
  ...each(length, ["minContains", "maxContains"]),
  ...each(text, ["$ref", "$dynamicRef", "$recursiveRef"]),
  ...each(anything, [
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "$vocabulary",
  ]),
  ...each(anything, [
    "const",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "deprecated",
  ]),
  ...each(anything, [
    "description",
    "examples",
    "format",
    "id",
    "nullable",
    "readOnly",
    "title",
    "uniqueItems",
  ]),
  ...each(anything, ["writeOnly"]),
]);

/**
 * Returns why this is not a JSON Schema, as the end of a sentence that starts with its name, or null. Unknown
 * keywords are ignored as the standard says, unless there are no others: then property names were meant, and every
 * answer would fit.
 */
export function schemaFault(given: Readonly<Record<string, unknown>>): string | null {
  const deep = faultIn(given, { path: "", depth: 0 });
  if (deep !== null) return `is no JSON Schema: ${deep}`;
  const keys = Object.keys(given);
  if (keys.length > 0 && !keys.some((key) => KEYWORDS.has(key)))
    return `has no keyword of JSON Schema: ${keys.slice(0, 5).join(", ")}`;
  if (JSON.stringify(given).length > MOST_SCHEMA_CHARS)
    return `must have at most ${MOST_SCHEMA_CHARS} characters as JSON`;
  return null;
}

function faultIn(given: Readonly<Record<string, unknown>>, at: Place): string | null {
  // Also catches a schema that contains itself.
  if (at.depth > MOST_DEPTH) return `it is nested more than ${MOST_DEPTH} deep`;
  return first(Object.entries(given), at, (value, place, key) => KEYWORDS.get(key)?.(value, place) ?? null);
}

/** Returns the first problem. */
function first(
  entries: Iterable<readonly [string | number, unknown]>,
  { path, depth }: Place,
  rule: (value: unknown, at: Place, key: string) => string | null,
): string | null {
  for (const [key, value] of entries) {
    const fault = rule(value, { path: `${path}/${key}`, depth: depth + 1 }, String(key));
    if (fault !== null) return fault;
  }
  return null;
}

function byName(rule: Rule): Rule {
  return (value, at) =>
    isObject(value) ? first(Object.entries(value), at, rule) : `${at.path} must be keys with values`;
}

function each(rule: Rule, keys: readonly string[]): [string, Rule][] {
  return keys.map((key) => [key, rule]);
}

/** True if the validator accepts the pattern. */
function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
