import * as z from "zod/mini";
import type { ToolResultContent } from "../mailbox/conversation.ts";
import { naming } from "./prompt.ts";
import { type CallContext, failed, type Tool } from "./tool.ts";

const AgentInput = z.strictObject({
  description: z.string().check(z.describe("What the task is, in three to five words (required)")),
  prompt: z
    .string()
    .check(
      z.minLength(1),
      z.describe("The task, complete in itself: the agent sees nothing else (required)"),
    ),
  subagent_type: z.optional(z.string().check(z.describe("The kind of agent; general-purpose where absent"))),
  model: z.optional(
    z
      .enum(["sonnet", "opus", "haiku"])
      .check(z.describe("Another model for this agent; wins over its definition's")),
  ),
  run_in_background: z.optional(
    z.boolean().check(z.describe("Go on at once and be notified when the agent has finished")),
  ),
  isolation: z.optional(
    z.enum(["worktree"]).check(z.describe("Let the agent work in a git worktree of its own")),
  ),
});
export type AgentInput = z.infer<typeof AgentInput>;

/** One line of the list a model chooses from (A4.16, A11.10). */
export interface AgentListing {
  readonly name: string;
  readonly whenToUse: string;
  readonly tools: readonly string[];
}

export function formatAgentLine({ name, whenToUse, tools }: AgentListing): string {
  return `- ${name}: ${whenToUse} (Tools: ${tools.join(", ") || "none"})`;
}

/** Who really starts agents: the supervisor. Answers with the one summary, whatever became of the agent. */
export interface Spawner {
  readonly agents: readonly AgentListing[];
  /** Null where the name is unknown. */
  resolve(type: string): AgentListing | null;
  spawn(type: string, input: AgentInput, context: CallContext): Promise<Spawned>;
}

export interface Spawned {
  readonly report: string;
  /** One line about how it ended; the agent cannot write into it. */
  readonly frame: string;
  readonly usable: boolean;
}

const DEFAULT_TYPE = "general-purpose";

/** The Agent tool over a spawner; its list of agents stands in its description (A4.17). */
export function agentTool(spawner: Spawner): Tool<AgentInput, Spawned, CallContext> {
  return {
    name: "Agent",
    aliases: ["Task"],
    permissionLevel: "read",
    parallel: true,
    needs: "thread",
    inputSchema: AgentInput,
    description: {
      what: `Starts a sub-agent: a separate conversation with its own context window and tools that works on one task and returns one report.\nAgents:\n${spawner.agents.map(formatAgentLine).join("\n")}`,
      when: "Searches over many files, independent questions (one agent each, all in one reply: they run at the same time), and for work whose details would fill this conversation.",
      whenNot: [
        "A file you can name, or a single search: do that yourself.",
        naming`${"Read"}, ${"Glob"} and ${"Grep"} are faster.`,
        "Never delegate understanding: do not write “based on your findings, fix it”; read the reports and decide yourself.",
      ],
      how: "`prompt` must stand alone: what to find out or do, what is known already, where to look, and what to return. `description` is three to five words. Pick `subagent_type` from the list.",
      recover:
        "A report that says how an agent failed is a result too: use what it found, and start another one with a narrower task if something is missing.",
      limits:
        "You receive the final report only, not the agent's tool results. Agents beyond the session's limit wait in order; none is refused.",
    },
    title: ({ description, subagent_type }) => `${subagent_type ?? DEFAULT_TYPE}: ${description}`,
    accesses: () => [],
    async call(input, context) {
      const type = input.subagent_type ?? DEFAULT_TYPE;
      const known = spawner.resolve(type);
      if (!known) {
        const names = spawner.agents.map((agent) => agent.name).join(", ");
        return failed(`There is no agent type ${JSON.stringify(type)}. Available: ${names}.`);
      }
      if (input.run_in_background) {
        return failed("Background agents are not available yet. Call Agent again without run_in_background.");
      }
      if (input.isolation) {
        return failed("Worktree isolation is not available yet. Call Agent again without isolation.");
      }
      const spawned = await spawner.spawn(known.name, input, context);
      return spawned.usable ? spawned : failed(`${spawned.frame}\n${spawned.report}`.trim());
    },
    mapToolResultToToolResultBlockParam: ({ frame, report }): ToolResultContent => [
      { type: "text", text: frame },
      { type: "text", text: report },
    ],
  };
}
