import * as z from "zod/mini";
import { isObject } from "../lib/json.ts";
import { formatPath } from "../lib/json-schema.ts";
import { schemaFault } from "../lib/meta-schema.ts";
import type { ToolDefinition } from "../mailbox/conversation.ts";
import type { SealedTool } from "./bind-tool.ts";
import { type CallContext, type Offered, renderPrompt } from "./tool.ts";

/** Returns the schema of a tool's input for models. On the supervisor's side: an agent's thread need not load the builder. */
export function schemaOf<Context extends CallContext>({
  inputSchema,
  jsonSchema,
}: Pick<SealedTool<Context>, "inputSchema" | "jsonSchema">): ToolDefinition["input_schema"] {
  return jsonSchema ?? jsonSchemaOf(inputSchema);
}

/** The same text for all agents with the same tools. */
export function descriptionOf<Context extends CallContext>(
  { description }: Pick<SealedTool<Context>, "description">,
  offered: Offered,
): string {
  return typeof description === "string" ? description : renderPrompt(description, offered);
}

/**
 * In the form of the seeds: an integer without the bounds of a safe one, an object of anything as just `object`, and
 * always with `required`.
 */
export function jsonSchemaOf(schema: z.core.$ZodType): ToolDefinition["input_schema"] {
  const {
    $schema: _,
    additionalProperties: __,
    ...rest
  } = z.toJSONSchema(schema, {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      const { additionalProperties: others } = jsonSchema;
      if (isObject(others) && Object.keys(others).length === 0) {
        delete jsonSchema.propertyNames;
        delete jsonSchema.additionalProperties;
      }
    },
  });
  return { ...rest, type: "object", required: rest.required ?? [] };
}

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
