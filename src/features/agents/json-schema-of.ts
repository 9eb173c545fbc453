import * as z from "zod/mini";
import { whyNoSchema } from "../../actors/typed/retry-text.ts";
import type { JsonSchema } from "../../mailbox/messages.ts";

/** What a library user hands in as a JSON Schema. Throws, with a sentence, where it is none. */
export function jsonSchemaOf(given: JsonSchema | z.core.$ZodType): JsonSchema {
  const schema = isZod(given) ? z.toJSONSchema(given, { io: "input", unrepresentable: "any" }) : given;
  const why = whyNoSchema({ ...schema });
  if (why !== null) throw new Error(why);
  // What is no JSON in it must not fail on its way to a thread.
  return JSON.parse(JSON.stringify(schema));
}

function isZod(given: JsonSchema | z.core.$ZodType): given is z.core.$ZodType {
  return "_zod" in given;
}
