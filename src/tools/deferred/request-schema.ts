import { formatPath } from "../../lib/json-schema.ts";
import { schemaFault } from "../../lib/meta-schema.ts";
import { isObject } from "../../lib/objects.ts";

const FIELD = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Returns why the Messages API would refuse a whole request for this schema of a tool, as half a sentence, or null. MCP
 * servers write such schemas, and one that is refused would end every request that contains it.
 */
export function refusedSchema(schema: unknown): string | null {
  if (!isObject(schema) || schema["type"] !== "object") return "it is not of type object";
  const combined = ["oneOf", "allOf", "anyOf"].find((keyword) => Object.hasOwn(schema, keyword));
  if (combined !== undefined) return `it has ${combined} at its top`;
  const fault = schemaFault(schema, "draft2020");
  if (fault !== null) return `${formatPath(fault.path) || "it"} is not a JSON Schema of draft 2020-12`;
  const fields = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const odd = fields.find((field) => !FIELD.test(field));
  return odd === undefined
    ? null
    : `its field ${JSON.stringify(odd.slice(0, 64))} has a name that is not allowed`;
}
