import * as z from "zod/mini";
import type { AgentView } from "../../events/event.ts";
import { isUsable, reportHeader, reportOf } from "../../features/agents/report.ts";
import { worktreeLine } from "../../features/isolation/worktree-result.ts";
import { noteOn } from "../../features/receipts/check-text.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { Status, type Summary } from "../../mailbox/messages.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { counted } from "../../terminal/figures.ts";
import { agentFigures, agentName, doing, statusText } from "../agent-text.ts";
import type { JobEnd } from "../jobs.ts";
import type { ServedResult } from "./mcp-server.ts";

interface Shown {
  readonly texts: readonly string[];
  readonly data: AgentData;
}

/** Formats the ends of agents, in their order; an error only if nothing in it is of use. */
export function formatEnds(
  session: SupervisorHandle,
  ends: readonly JobEnd[],
  now: number,
): ServedResult<AgentsData> {
  const shown = ends.map((end): Shown => {
    const view = session.tree().find(({ id }) => id === end.id);
    if (view === undefined) return showFailure(end);
    // It may have been resumed since then: this is the end that was asked for.
    return showView(session, { ...view, state: "ended", summary: end.summary }, now);
  });
  const isError = !ends.some(({ summary }) => isUsable(summary));
  return { ...joinShown(shown, ends.length > 1 ? [countStatuses(ends)] : []), isError };
}

/** Formats agents as they are now. */
export function formatViews(
  session: SupervisorHandle,
  views: readonly AgentView[],
  now: number,
  first: readonly string[] = [],
): ServedResult<AgentsData> {
  return joinShown(
    views.map((view) => showView(session, view, now)),
    first,
  );
}

/** Formats a list of agents without their reports, one line each. */
export function formatList(
  session: SupervisorHandle,
  views: readonly AgentView[],
  now: number,
): ServedResult<AgentsData> {
  const agents = views.map((view) => {
    const { report: _, output: __, ...shown } = shownView(view, refusedTools(session, view.id), now);
    return shown;
  });
  const lines = views.map((view) => {
    const about = [agentName(view), doing(view, now), agentFigures(view, now)].filter(Boolean);
    return `- ${view.id}: ${about.join(" · ")}`;
  });
  return { texts: [lines.join("\n")], data: { agents } };
}

function joinShown(shown: readonly Shown[], first: readonly string[]): ServedResult<AgentsData> {
  return {
    texts: [...first, ...shown.flatMap(({ texts }) => texts)],
    data: { agents: shown.map(({ data }) => data) },
  };
}

function showView(session: SupervisorHandle, view: AgentView, now: number): Shown {
  const refused = refusedTools(session, view.id);
  return { texts: viewTexts(view, refused, now), data: shownView(view, refused, now) };
}

function showFailure(end: JobEnd): Shown {
  const { type, description, summary } = end;
  const why = summary.reason ?? statusText(summary.status);
  return { texts: [`[No agent (${type}) for "${description}": ${why}]`], data: shownFailure(end) };
}

/**
 * One agent for a model: its end in the runtime's words, its report, and which statements of it could not be verified. A
 * block each, so that a report cannot forge what surrounds it.
 */
function viewTexts(view: AgentView, refused: readonly string[], now: number): readonly string[] {
  const { id, summary } = view;
  if (summary === null) {
    // The state and the activity can be the same word.
    const about = new Set([agentName(view), view.state, doing(view, now), agentFigures(view, now)]);
    return [`[Agent ${id} has not ended: ${[...about].filter(Boolean).join(" · ")}]`];
  }
  const texts = [reportHeader(view, summary), reportOf(summary), noteOn(summary) ?? ""];
  if (refused.length > 0)
    texts.push(
      `[Calls of ${refused.join(", ")} were not allowed. The server's flags (--permission-mode, --allowed-tools) and the permission rules of settings decide what agents may do, not the caller.]`,
    );
  return texts.filter((text) => text !== "");
}

/** "3 agents: 2 done, 1 failed. Their reports follow in the order of the prompts." */
function countStatuses(ends: readonly JobEnd[]): string {
  const counts = new Map<string, number>();
  for (const { summary } of ends) {
    const status = statusText(summary.status);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const parts = [...counts].map(([status, count]) => `${count} ${status}`);
  return `${counted(ends.length, "agent")}: ${parts.join(", ")}. Their reports follow in the order of the prompts.`;
}

/** Returns these agents and their descendants. Views are in the order of their starts, so parents come first. */
export function descendantsOf(views: readonly AgentView[], ids: ReadonlySet<ActorId>): readonly AgentView[] {
  const family = new Set(ids);
  return views.filter(({ id, parent }) => {
    if (parent !== null && family.has(parent)) family.add(id);
    return family.has(id);
  });
}

/** Returns the tools of which a call of this agent, or of a descendant, was refused. */
function refusedTools(session: SupervisorHandle, id: ActorId): readonly string[] {
  const { denials } = session.usage();
  if (denials.length === 0) return [];
  const family = new Set(descendantsOf(session.tree(), new Set([id])).map((view) => view.id));
  return [...new Set(denials.flatMap(({ actor, tool_name }) => (family.has(actor) ? [tool_name] : [])))];
}

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
