import type { SupervisorHandle } from "../../session/options.ts";
import { isUsable } from "../../supervisor/report.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { statusText } from "../agent-text.ts";
import { counted } from "../figures.ts";
import type { JobEnd } from "../jobs.ts";
import { viewTexts } from "./agent-texts.ts";
import { refusedTools } from "./descendants.ts";
import type { ServedResult } from "./served-tool.ts";
import { type ShownAgent, type ShownAgents, shownFailure, shownView } from "./shown-agent.ts";

interface Shown {
  readonly texts: readonly string[];
  readonly data: ShownAgent;
}

/** One end each, in their order; an error only where nothing of it is of use. */
export function endsResult(
  session: SupervisorHandle,
  ends: readonly JobEnd[],
  now: number,
): ServedResult<ShownAgents> {
  const shown = ends.map((end): Shown => {
    const view = end.id === null ? undefined : session.tree().find(({ id }) => id === end.id);
    if (view === undefined) return shownAsFailure(end);
    // Somebody may have set it going again since: this is what it was asked for here.
    return shownAsView(session, { ...view, state: "ended", summary: end.summary }, now);
  });
  const isError = !ends.some(({ summary }) => isUsable(summary));
  return { ...together(shown, ends.length > 1 ? [tally(ends)] : []), isError };
}

/** Agents as they are now. */
export function viewsResult(
  session: SupervisorHandle,
  views: readonly AgentView[],
  now: number,
  first: readonly string[] = [],
): ServedResult<ShownAgents> {
  return together(
    views.map((view) => shownAsView(session, view, now)),
    first,
  );
}

function together(shown: readonly Shown[], first: readonly string[]): ServedResult<ShownAgents> {
  return {
    texts: [...first, ...shown.flatMap(({ texts }) => texts)],
    data: { agents: shown.map(({ data }) => data) },
  };
}

function shownAsView(session: SupervisorHandle, view: AgentView, now: number): Shown {
  const refused = refusedTools(session, view.id);
  return { texts: viewTexts(view, refused, now), data: shownView(view, refused, now) };
}

function shownAsFailure(end: JobEnd): Shown {
  const { type, description, summary } = end;
  const why = summary.reason ?? statusText(summary.status);
  return { texts: [`[No agent (${type}) for "${description}": ${why}]`], data: shownFailure(end) };
}

/** "3 agents: 2 done, 1 failed. Each has its report below, in the order of the prompts." */
function tally(ends: readonly JobEnd[]): string {
  const counts = new Map<string, number>();
  for (const { summary } of ends) {
    const words = statusText(summary.status);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const parts = [...counts].map(([words, count]) => `${count} ${words}`);
  return `${counted(ends.length, "agent")}: ${parts.join(", ")}. Their reports follow in the order of the prompts.`;
}
