import * as z from "zod/mini";
import { worktreeLine } from "../../features/isolation/worktree-words.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { Status, type Summary } from "../../mailbox/messages.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { doing } from "../agent-text.ts";
import type { JobEnd } from "../jobs.ts";

/** What became of an agent's edits, where it had a worktree of its own. */
const Edits = z.object({
  outcome: z.enum(["merged", "conflict", "kept", "empty"]),
  /** In words, with how to undo or find them. */
  words: z.string(),
  files: z.number(),
  branch: z.optional(z.string()),
  path: z.optional(z.string()),
  conflicts: z.optional(z.array(z.string())),
});

/** One agent as programs read it: where it stands, and once it has ended its one summary. */
export const ShownAgent = z.object({
  agent_id: z.nullable(z.string()).check(z.describe("Null: it could not be started")),
  agent_type: z.string(),
  description: z.string(),
  state: z.enum(["queued", "starting", "running", "waiting", "cancelling", "ended"]),
  doing: z.optional(z.string().check(z.describe("What it works on; until it has ended"))),
  status: z.optional(Status.check(z.describe("How it ended"))),
  report: z.optional(z.string().check(z.describe("What it reports; empty where it had no time to"))),
  output: z.optional(z.unknown()).check(z.describe("The report as data that fits output_schema")),
  reason: z.optional(z.string().check(z.describe("Why it ended otherwise than done"))),
  turns: z.number(),
  tokens: z.number(),
  cost_usd: z.number(),
  seconds: z.number(),
  edits: z.optional(Edits),
  unverified: z.optional(
    z
      .array(z.object({ said: z.string(), why: z.string() }))
      .check(z.describe("Statements of the report that nothing it read or ran is behind")),
  ),
  no_tool_run: z.optional(z.boolean().check(z.describe("Nothing in its report was looked up"))),
  not_allowed: z.optional(
    z
      .array(z.string())
      .check(z.describe("Tools of which a call of it, or of an agent below it, was refused")),
  ),
});
export type ShownAgent = z.infer<typeof ShownAgent>;

/** What nearly every tool answers with. */
export const ShownAgents = z.object({ agents: z.array(ShownAgent) });
export type ShownAgents = z.infer<typeof ShownAgents>;

/** An agent as it is now. */
export function shownView(view: AgentView, refused: readonly string[], now: number): ShownAgent {
  const { id, type, description, state, summary, turns, usage, costUsd, createdAt, startedAt, endedAt } =
    view;
  const words = doing(view, now);
  return {
    ...{ agent_id: id, agent_type: type, description, state },
    ...(summary === null && words !== "" ? { doing: words } : {}),
    ...(summary === null ? {} : summaryData(summary, id)),
    ...{ turns, tokens: totalTokens(usage), cost_usd: costUsd },
    seconds: seconds((endedAt ?? now) - (startedAt ?? createdAt)),
    ...(refused.length === 0 ? {} : { not_allowed: [...refused] }),
  };
}

/** One that never became an agent. */
export function shownFailure({ type, description, summary }: JobEnd): ShownAgent {
  return {
    ...{ agent_id: null, agent_type: type, description, state: "ended" },
    ...summaryData(summary, ""),
    ...{ turns: 0, tokens: 0, cost_usd: 0, seconds: 0 },
  };
}

function summaryData(summary: Summary, id: string): Partial<ShownAgent> {
  const { status, text, output, reason, worktree, unverified = [], unfounded } = summary;
  return {
    ...{ status, report: text },
    ...(output === undefined ? {} : { output }),
    ...(reason === undefined ? {} : { reason }),
    ...(worktree === undefined ? {} : { edits: editsData(worktree, id) }),
    ...(unverified.length === 0 ? {} : { unverified: unverified.map(({ said, why }) => ({ said, why })) }),
    ...(unfounded ? { no_tool_run: true } : {}),
  };
}

function editsData(worktree: NonNullable<Summary["worktree"]>, id: string): z.infer<typeof Edits> {
  const { outcome, files, branch, path, conflicts = [] } = worktree;
  return {
    ...{ outcome, files, words: worktreeLine(worktree, id) },
    ...(branch === undefined ? {} : { branch }),
    ...(path === undefined ? {} : { path }),
    ...(conflicts.length === 0 ? {} : { conflicts: conflicts.map((conflict) => conflict.path) }),
  };
}

function seconds(ms: number): number {
  return Math.round(Math.max(0, ms) / 100) / 10;
}
