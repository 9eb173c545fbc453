import * as z from "zod/mini";
import type { ToolDefinition } from "../mailbox/conversation.ts";
import type { SealedTool } from "./bind-tool.ts";
import { everyTool, type Offered, renderPrompt } from "./prompt.ts";
import type { CallContext } from "./tool.ts";

/** What a model is told of one tool. Made on the supervisor's side: an agent's thread need not load what makes it. */
export function definitionOf<Context extends CallContext>(
  tool: SealedTool<Context>,
  offered: Offered = everyTool,
): ToolDefinition {
  return {
    name: tool.name,
    description: descriptionOf(tool, offered),
    input_schema: schemaOf(tool),
  };
}

/** The schema that models get of a tool's input. */
export function schemaOf<Context extends CallContext>({
  inputSchema,
  jsonSchema,
}: Pick<SealedTool<Context>, "inputSchema" | "jsonSchema">): ToolDefinition["input_schema"] {
  return jsonSchema ?? jsonSchemaOf(inputSchema);
}

/** The same tool tells the same text to all agents that are offered the same tools. */
export function descriptionOf<Context extends CallContext>(
  { description }: Pick<SealedTool<Context>, "description">,
  offered: Offered,
): string {
  return typeof description === "string" ? description : renderPrompt(description, offered);
}

/**
 * The seeds' form: an integer is just `integer`, without the bounds of a safe one; an object of anything is just
 * `object`; and `required` is always there.
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
