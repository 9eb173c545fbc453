import { isObject } from "../lib/objects.ts";
import type { InputSchema } from "./mcp.ts";

/** Schemas are read to this depth; the server checks what is deeper. */
const MAX_DEPTH = 8;
const MAX_PROBLEMS = 10;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns what in an input does not fit a server's JSON Schema, one line each: types, required and unknown fields,
 * choices. The server checks the rest (patterns, references, combinations): its schema is foreign text, and none of it
 * is run here.
 */
export function inputProblems(schema: InputSchema, input: unknown): readonly string[] {
  return checkValue(schema, input, "", 0).take(MAX_PROBLEMS).toArray();
}

function* checkValue(schema: JsonObject, value: unknown, path: string, depth: number): Generator<string> {
  if (depth > MAX_DEPTH) return;
  const at = path || "input";
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    yield `${at}: expected ${types.join(" or ")}, got ${typeName(value)}`;
    return;
  }
  const choices: unknown = schema["enum"];
  if (Array.isArray(choices) && !choices.some((one) => JSON.stringify(one) === JSON.stringify(value)))
    yield `${at}: must be one of ${choices.map((one) => JSON.stringify(one)).join(", ")}`;
  if (isObject(value)) yield* checkFields(schema, value, path, depth);
  else if (Array.isArray(value) && isObject(schema["items"]))
    for (const [index, item] of value.entries())
      yield* checkValue(schema["items"], item, `${path}[${index}]`, depth + 1);
}

function* checkFields(schema: JsonObject, value: JsonObject, path: string, depth: number): Generator<string> {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const schemaOf = (key: string) => (Object.hasOwn(properties, key) ? properties[key] : undefined);
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const key of required) {
    if (typeof key !== "string" || Object.hasOwn(value, key)) continue;
    const inner = schemaOf(key);
    // The server fills it in; zod lists such a field as required all the same.
    if (isObject(inner) && Object.hasOwn(inner, "default")) continue;
    const types = isObject(inner) ? typesOf(inner) : [];
    yield `${at(key)}: required${types.length > 0 ? `, expected ${types.join(" or ")}` : ""}`;
  }
  const isClosed = schema["additionalProperties"] === false && !Object.hasOwn(schema, "patternProperties");
  for (const [key, field] of Object.entries(value)) {
    const inner = schemaOf(key);
    if (isObject(inner)) yield* checkValue(inner, field, at(key), depth + 1);
    else if (inner === undefined && isClosed) yield `${at(key)}: there is no such field`;
  }
}

function typesOf({ type }: JsonObject): readonly string[] {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.filter((one) => typeof one === "string");
}

/** True for a type that JSON Schema does not have: the server judges it. */
function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return (
    !["object", "array", "string", "boolean", "number", "null"].includes(type) || typeName(value) === type
  );
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
