import * as z from "zod/mini";
import { fitList } from "../lib/fit-list.ts";
import { Accept } from "../mailbox/acceptance.ts";
import type { ToolResultContent } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { MODEL_ALIASES } from "../mailbox/model.ts";
import { type CallContext, failed, naming, type Tool } from "./tool.ts";

const AgentInput = z.strictObject({
  description: z.string().check(z.describe("What the task is, in three to five words (required)")),
  prompt: z
    .string()
    .check(
      z.minLength(1),
      z.describe("The task, complete in itself: the agent sees nothing else (required)"),
    ),
  subagent_type: z.optional(z.string().check(z.describe("The agent type; general-purpose if absent"))),
  model: z.optional(
    z
      .enum(MODEL_ALIASES)
      .check(
        z.describe(
          "Another model for this agent, which wins over settings and its definition: haiku for searches and simple checks, sonnet for most work, opus for hard designs and subtle faults, fable only if the user names it. Leave it out unless the task needs another",
        ),
      ),
  ),
  run_in_background: z.optional(
    z.boolean().check(z.describe("Continue immediately and be notified when the agent has finished")),
  ),
  resume: z.optional(
    z
      .string()
      .check(
        z.describe("The id of an agent that has ended: it resumes with this prompt and its whole context"),
      ),
  ),
  isolation: z.optional(
    z.enum(["worktree"]).check(z.describe("Let the agent work in a git worktree of its own")),
  ),
  output_schema: z.optional(
    z
      .record(z.string(), z.unknown())
      .check(z.describe("A JSON Schema: the agent's report is then JSON that was checked against it")),
  ),
  accept: z.optional(
    Accept.check(
      z.describe(
        "What must be true when it ends: `run`, a command that must exit with 0, run on its edits merged with the checkout; `files` that it must have made or changed. If not, it is sent back, and its edits are not merged",
      ),
    ),
  ),
});
export type AgentInput = z.infer<typeof AgentInput>;

/** Starts agents: the supervisor. Resolves to the one summary, however the agent ended. */
export interface Spawner {
  readonly agents: readonly AgentListing[];
  /** Their list in the tool's description; null if it is in a message. Absent: one line for each. */
  readonly list?: string | null;
  /** Whether an agent may begin with its parent's conversation. */
  readonly forks: boolean;
  /** Returns null if the name is unknown. */
  resolve(type: string): AgentListing | null;
  spawn(type: string, input: AgentInput, context: CallContext): Promise<Spawned>;
}

export type Spawned =
  | {
      readonly type: "ended";
      readonly report: string;
      /** One line about how it ended; the agent cannot write into it. */
      readonly frame: string;
      readonly usable: boolean;
      /** Text of the runtime after the report. */
      readonly note?: string;
    }
  /** It works in the background; its one result comes when it has ended (A22.16). */
  | {
      readonly type: "launched";
      readonly id: ActorId;
      readonly title: string;
      /** The file of its report, once it has ended. */
      readonly path: string;
      readonly note?: string;
    };

const DEFAULT_TYPE = "general-purpose";

/** Only if forks are enabled (A4.18). The runtime enforces the first two: there is nothing to read before the end (A22.16). */
const FORK_DISCIPLINE = [
  '- `subagent_type: "fork"` starts an agent that has this whole conversation and works in the background.',
  "- Don't peek: the `output_file` of a fork does not exist before its end, and its report is sent to you.",
  naming`- Only if the user asks how it is going, call ${"TaskOutput"} with \`block: false\`.`,
  "- Don't race: until that report arrives you know nothing about what the fork found, so do not guess, announce or make up its result in any form.",
  "- A fork's prompt is a directive: what to do, not what the situation is, which it knows.",
];

/** Returns how a call of it is shown. */
export function agentTitle({
  description,
  subagent_type,
}: Pick<AgentInput, "description" | "subagent_type">) {
  return `${subagent_type ?? DEFAULT_TYPE}: ${description}`;
}

/** The Agent tool over a spawner; its list of agents is in its description, unless a message has it (A4.17). */
export function agentTool(spawner: Spawner): Tool<AgentInput, Spawned, CallContext> {
  return {
    name: "Agent",
    aliases: ["Task"],
    permissionLevel: "read",
    inputSchema: AgentInput,
    description: {
      what: `Starts a sub-agent: a separate conversation with its own context window and tools that works on one task and returns one report.\n${listText(spawner)}`,
      when: "Searches over many files, independent questions (one agent each, all in one reply: they run at the same time), and for work whose details would fill this conversation.",
      whenNot: [
        "A file you can name, or a single search: do that yourself.",
        naming`${"Read"}, ${"Glob"} and ${"Grep"} are faster.`,
        "Never delegate understanding: do not write “based on your findings, fix it”; read the reports and decide yourself.",
      ],
      how: [
        "`prompt` must stand alone: what to find out or do, what is known already, where to look, and what to return. `description` is three to five words. Pick `subagent_type` from the list.",
        "With `run_in_background` you get the agent's ID and the path of its `output_file` immediately, and a notification when it has finished: do other work or end your turn, do not wait.",
        "`isolation: \"worktree\"` gives an agent that edits its own copy of the repository, with all uncommitted changes; such agents do not see each other's edits, and each one's edits are merged when it ends. Its report says how that went. Name files in its prompt by paths relative to the repository.",
        "`output_schema` makes the report data of a known form; without it a report is prose.",
        "`resume` takes the id of an agent that has ended: its prompt may then be short, because it knows what it did.",
        ...(spawner.forks ? FORK_DISCIPLINE : []),
      ],
      recover:
        "A report that says how an agent failed is a result as well: use what it found, and start another agent with a narrower task if something is missing.",
      limits:
        "You receive the final report only, not the agent's tool results. Agents beyond the number that can run together wait in order. One beyond the number that you, or the session, may start in all is refused, and the result says so.",
    },
    title: agentTitle,
    async call(input, context) {
      const type = input.subagent_type ?? DEFAULT_TYPE;
      // If forks are switched off, the supervisor says so.
      const known = type === "fork" ? type : spawner.resolve(type)?.name;
      if (known === undefined) {
        const names = [...spawner.agents.map(({ name }) => name), ...(spawner.forks ? ["fork"] : [])];
        return failed(`There is no agent type ${JSON.stringify(type)}. Available: ${names.join(", ")}.`);
      }
      const spawned = await spawner.spawn(known, input, context);
      if (spawned.type === "launched" || spawned.usable) return spawned;
      return failed([spawned.frame, spawned.report, spawned.note].filter(Boolean).join("\n"));
    },
    mapToolResultToToolResultBlockParam: (spawned): ToolResultContent => {
      const said = spawned.type === "launched" ? [launchText(spawned)] : [spawned.frame, spawned.report];
      const texts = spawned.note === undefined ? said : [...said, spawned.note];
      return texts.map((text) => ({ type: "text", text }));
    },
  };
}

function listText({ agents, list = agents.map(formatAgentLine).join("\n") }: Spawner): string {
  return list === null ? "A message of the conversation lists the agents." : `Agents:\n${list}`;
}

function launchText({ id, title, path }: Extract<Spawned, { type: "launched" }>): string {
  return `Agent ${id} ("${title}") works in the background. You will be notified once, when it has finished; its result is not known before.
agent_id: ${id}
output_file: ${path} (written when it has finished)`;
}

/** One line of the list a model chooses from (A4.16, A11.10). */
export interface AgentListing {
  readonly name: string;
  readonly whenToUse: string;
  readonly tools: readonly string[];
}

export function formatAgentLine({ name, whenToUse, tools }: AgentListing): string {
  return `- ${name}: ${whenToUse} (Tools: ${tools.join(", ") || "none"})`;
}

/** Returns one line for each agent, in `budget` characters together. The kept ones stay whole, even over the budget. */
export function agentList<Listed extends AgentListing>(
  agents: readonly Listed[],
  budget: number,
  isKept: (agent: Listed) => boolean,
): string {
  const more = (count: number) => `- (and ${count} more, which are started by their names)`;
  const entries = agents.map((agent) => ({
    ...{ name: agent.name, description: agent.whenToUse, whole: formatAgentLine(agent) },
    isKept: isKept(agent),
  }));
  const kept = entries.filter((entry) => entry.isKept).map(({ whole }) => whole);
  const least = [...kept, more(entries.length)].join("\n").length;
  return fitList(entries, Math.max(budget, least), more);
}
