import type { InputSchema } from "./mcp.ts";

/** So deep a schema is looked into; what lies deeper is the server's to check. */
const MAX_DEPTH = 8;
const MAX_COMPLAINTS = 10;

type Schema = Readonly<Record<string, unknown>>;

/**
 * What of an input does not fit a server's JSON Schema, a line each: types, required and unknown fields, fixed values.
 * Patterns, references and combinations are left to the server, which checks the whole: a schema is somebody else's
 * text, and nothing of it is run here.
 */
export function inputComplaints(schema: InputSchema, input: unknown): readonly string[] {
  const complaints: string[] = [];
  check(schema, input, "", 0, complaints);
  return complaints.slice(0, MAX_COMPLAINTS);
}

function check(schema: Schema, value: unknown, path: string, depth: number, complaints: string[]): void {
  if (depth > MAX_DEPTH || complaints.length >= MAX_COMPLAINTS) return;
  const complain = (what: string) => complaints.push(`${path || "input"}: ${what}`);
  const types = typesOf(schema["type"]);
  if (types.length > 0 && !types.some((type) => isA(value, type))) {
    complain(`expected ${types.join(" or ")}, got ${kindOf(value)}`);
    return;
  }
  const choices = schema["enum"];
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value)))
    complain(`must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
  if (Object.hasOwn(schema, "const") && !isSame(schema["const"], value))
    complain(`must be ${JSON.stringify(schema["const"])}`);
  if (isObject(value)) checkObject(schema, value, path, depth, complaints);
  else if (Array.isArray(value) && isObject(schema["items"]))
    for (const [index, item] of value.entries())
      check(schema["items"], item, `${path}[${index}]`, depth + 1, complaints);
}

function checkObject(schema: Schema, value: Schema, path: string, depth: number, complaints: string[]): void {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const key of required) {
    if (typeof key !== "string" || Object.hasOwn(value, key)) continue;
    const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
    // The server fills it in; zod lists such a field as required all the same.
    if (isObject(inner) && Object.hasOwn(inner, "default")) continue;
    const types = isObject(inner) ? typesOf(inner["type"]) : [];
    complaints.push(`${at(key)}: required${types.length > 0 ? `, expected ${types.join(" or ")}` : ""}`);
  }
  for (const [key, inner] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (isObject(known)) check(known, inner, at(key), depth + 1, complaints);
    else if (known === undefined && isClosed(schema)) complaints.push(`${at(key)}: there is no such field`);
  }
}

function isClosed(schema: Schema): boolean {
  return schema["additionalProperties"] === false && !Object.hasOwn(schema, "patternProperties");
}

function typesOf(type: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(type) ? type : [type];
  return list.filter((one) => typeof one === "string");
}

/** A type we do not know is the server's to judge. */
function isA(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number";
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
