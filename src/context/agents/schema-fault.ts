import type { JsonObject } from "../../lib/json.ts";
import { isKeyword, schemaFault } from "../../lib/meta-schema.ts";

/** The agent gets it in its prompt, and again with each retry. */
const MOST_CHARS = 20_000;

/** Returns why a schema cannot be used, as a sentence, or null. */
export function whyNoSchema(schema: JsonObject): string | null {
  const fault = outputSchemaFault(schema);
  return fault === null ? null : `The output_schema ${fault}.`;
}

/**
 * Returns why an agent's answer cannot be checked by this schema, as the end of a sentence that starts with its name, or
 * null. A schema without any keyword is one of property names by mistake: every answer would fit.
 */
export function outputSchemaFault(given: JsonObject): string | null {
  const fault = schemaFault(given, "anyDraft");
  if (fault !== null)
    return `is no JSON Schema: ${[...fault.path.map((name) => `/${name}`), ` ${fault.text}`].join("").trim()}`;
  const keys = Object.keys(given);
  if (keys.length > 0 && !keys.some(isKeyword))
    return `has no keyword of JSON Schema: ${keys.slice(0, 5).join(", ")}`;
  if (JSON.stringify(given).length > MOST_CHARS) return `must have at most ${MOST_CHARS} characters as JSON`;
  return null;
}
