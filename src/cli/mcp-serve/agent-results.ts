import type { AgentView } from "../../events/event.ts";
import { isUsable, reportHeader, reportOf } from "../../features/agents/report.ts";
import { noteOn } from "../../features/receipts/check-text.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { counted } from "../../terminal/figures.ts";
import { agentFigures, agentName, doing, statusText } from "../agent-text.ts";
import type { JobEnd } from "../jobs.ts";
import type { ServedResult } from "./mcp-server.ts";
import { type AgentData, type AgentsData, shownFailure, shownView } from "./shown-agent.ts";

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
