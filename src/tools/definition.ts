import * as z from "zod/mini";
import type { ToolDefinition } from "../mailbox/conversation.ts";
import type { SealedTool } from "./bind-tool.ts";
import { type Offered, renderPrompt } from "./prompt.ts";
import type { CallContext } from "./tool.ts";

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
      if (isEmpty(jsonSchema.additionalProperties)) {
        delete jsonSchema.propertyNames;
        delete jsonSchema.additionalProperties;
      }
    },
  });
  return { ...rest, type: "object", required: rest.required ?? [] };
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}
