import type { ToolDefinition } from "../../src/mailbox/conversation.ts";
import type { SealedTool } from "../../src/tools/bind-tool.ts";
import { descriptionOf, schemaOf } from "../../src/tools/definition.ts";
import { type CallContext, everyTool } from "../../src/tools/tool.ts";

/** Returns what a model gets of one tool if it has all others, too. */
export function definitionOf<Context extends CallContext>(tool: SealedTool<Context>): ToolDefinition {
  return {
    name: tool.name,
    description: descriptionOf(tool, everyTool),
    input_schema: schemaOf(tool),
  };
}
