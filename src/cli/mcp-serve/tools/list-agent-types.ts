import * as z from "zod/mini";
import { formatAgentLine } from "../../../tools/agent-list.ts";
import { type ServedTool, servedTool } from "../served-tool.ts";
import type { Serving } from "../serving.ts";

const AgentTypes = z.object({
  agent_types: z.array(
    z.object({
      name: z.string(),
      when_to_use: z.string(),
      tools: z.array(z.string()),
      model: z.optional(z.string()),
      traits: z.optional(z.array(z.string())),
    }),
  ),
});

/** The kinds of agents there are, those of the person and of the folder among them. */
export function listAgentTypes({ agents }: Serving): ServedTool {
  return servedTool({
    name: "list_agent_types",
    title: "Kinds of agents",
    description:
      "The kinds of agents that can be started here, with what each is for and which tools it has: the built-in ones and those of .claude/agents.",
    input: z.strictObject({}),
    output: AgentTypes,
    hints: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run() {
      const agent_types = agents.map(({ name, whenToUse, tools, model, traits }) => ({
        ...{ name, when_to_use: whenToUse, tools: [...tools] },
        ...(model === undefined ? {} : { model }),
        ...(traits === undefined ? {} : { traits: [...traits] }),
      }));
      return { texts: [agents.map(formatAgentLine).join("\n")], data: { agent_types } };
    },
  });
}
