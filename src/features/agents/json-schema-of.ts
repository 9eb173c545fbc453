import * as z from "zod/mini";
import { whyNoSchema } from "../../context/agents/check-problem.ts";
import type { JsonSchema } from "../../mailbox/messages.ts";

/** Converts the schema of a library user to JSON Schema. Throws if it is not valid. */
export function outputJsonSchema(given: JsonSchema | z.core.$ZodType): JsonSchema {
  const schema = isZod(given) ? z.toJSONSchema(given, { io: "input", unrepresentable: "any" }) : given;
  const why = whyNoSchema({ ...schema });
  if (why !== null) throw new Error(why);
  // A value that is not JSON would fail later, when it is sent to a thread.
  return JSON.parse(JSON.stringify(schema));
}

export function isZod(given: JsonSchema | z.core.$ZodType): given is z.core.$ZodType {
  return "_zod" in given;
}
