import * as z from "zod/mini";
import type { AgentView } from "../../events/event.ts";
import { worktreeLine } from "../../features/isolation/worktree-words.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { Status, type Summary } from "../../mailbox/messages.ts";
import { doing } from "../agent-text.ts";
import type { JobEnd } from "../jobs.ts";

/** The edits of an agent that had a worktree of its own. */
const Edits = z.object({
  outcome: z.enum(["merged", "conflict", "kept", "empty"]),
  /** The outcome as text, with how to undo or find the edits. */
  words: z.string(),
  files: z.number(),
  branch: z.optional(z.string()),
  path: z.optional(z.string()),
  conflicts: z.optional(z.array(z.string())),
});

/** One agent for programs: its state, and once it has ended its one summary. */
const AgentData = z.object({
  agent_id: z.nullable(z.string()).check(z.describe("Null if it could not be started")),
  agent_type: z.string(),
  description: z.string(),
  state: z.enum(["queued", "starting", "running", "paused", "waiting", "cancelling", "ended"]),
  doing: z.optional(z.string().check(z.describe("What it works on, until it has ended"))),
  status: z.optional(Status.check(z.describe("How it ended"))),
  report: z.optional(z.string().check(z.describe("Its report; empty if it had no time to write one"))),
  output: z.optional(z.unknown()).check(z.describe("The report as data that fits output_schema")),
  reason: z.optional(z.string().check(z.describe("Why it ended other than done"))),
  turns: z.number(),
  tokens: z.number(),
  cost_usd: z.number(),
  seconds: z.number(),
  edits: z.optional(Edits),
  unverified: z.optional(
    z
      .array(z.object({ said: z.string(), why: z.string() }))
      .check(z.describe("Statements of the report without evidence in what it read or ran")),
  ),
  no_tool_run: z.optional(z.boolean().check(z.describe("Nothing in its report was looked up"))),
  not_allowed: z.optional(
    z.array(z.string()).check(z.describe("Tools of which a call of it, or of a descendant, was refused")),
  ),
});
export type AgentData = z.infer<typeof AgentData>;

/** The result of nearly every tool. */
export const AgentsData = z.object({ agents: z.array(AgentData) });
export type AgentsData = z.infer<typeof AgentsData>;

/** Returns an agent as it is now. */
export function shownView(view: AgentView, refused: readonly string[], now: number): AgentData {
  const { id, type, description, state, summary, turns, usage, costUsd, createdAt, startedAt, endedAt } =
    view;
  return {
    ...{ agent_id: id, agent_type: type, description, state },
    ...(summary === null ? { doing: doing(view, now) || undefined } : summaryData(summary, id)),
    ...{ turns, tokens: totalTokens(usage), cost_usd: costUsd },
    seconds: Math.round(Math.max(0, (endedAt ?? now) - (startedAt ?? createdAt)) / 100) / 10,
    not_allowed: refused.length === 0 ? undefined : [...refused],
  };
}

/** Returns a job that never became an agent. */
export function shownFailure({ type, description, summary }: JobEnd): AgentData {
  return {
    ...{ agent_id: null, agent_type: type, description, state: "ended" },
    ...summaryData(summary, ""),
    ...{ turns: 0, tokens: 0, cost_usd: 0, seconds: 0 },
  };
}

function summaryData(summary: Summary, id: string): Partial<AgentData> {
  const { status, text, output, reason, worktree, unverified = [], unfounded } = summary;
  return {
    ...{ status, report: text, output, reason },
    edits: worktree && editsData(worktree, id),
    unverified: unverified.length === 0 ? undefined : unverified.map(({ said, why }) => ({ said, why })),
    no_tool_run: unfounded || undefined,
  };
}

function editsData(worktree: NonNullable<Summary["worktree"]>, id: string): z.infer<typeof Edits> {
  const { outcome, files, branch, path, conflicts = [] } = worktree;
  return {
    ...{ outcome, files, words: worktreeLine(worktree, id), branch, path },
    conflicts: conflicts.length === 0 ? undefined : conflicts.map((conflict) => conflict.path),
  };
}
