import { noteOn } from "../../features/receipts/check-text.ts";
import type { Summary } from "../../mailbox/messages.ts";
import { reportHeader, reportOf } from "../../supervisor/report.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { agentFigures, agentName, doing } from "../agent-text.ts";

/**
 * One agent's end as a model reads it: how it ended in the runtime's words, its report, and what of it could not be
 * verified; a block each, so that a report cannot forge what stands around it.
 */
export function endTexts(
  agent: Pick<AgentView, "id" | "type">,
  summary: Summary,
  refused: readonly string[],
): readonly string[] {
  const report = reportOf(summary);
  const note = noteOn(summary);
  return [
    reportHeader(agent, summary),
    ...(report === "" ? [] : [report]),
    ...(note === null ? [] : [note]),
    ...(refused.length === 0 ? [] : [refusedWords(refused)]),
  ];
}

/** One agent as it is now: its end, or a line on what it does. */
export function viewTexts(view: AgentView, refused: readonly string[], now: number): readonly string[] {
  if (view.summary !== null) return endTexts(view, view.summary, refused);
  const about = [agentName(view), view.state, doing(view, now), agentFigures(view, now)];
  // A state that is all there is to say of it would stand there twice.
  return [`[Agent ${view.id} has not ended: ${[...new Set(about)].filter(Boolean).join(" · ")}]`];
}

/** The same for a list, in one line. */
export function viewLine(view: AgentView, now: number): string {
  const about = [agentName(view), doing(view, now), agentFigures(view, now)].filter(Boolean);
  return `- ${view.id}: ${about.join(" · ")}`;
}

/** Whoever reads this cannot allow anything, but can say who could. */
function refusedWords(tools: readonly string[]): string {
  return `[Calls of ${tools.join(", ")} were not allowed. What agents may do is decided where Troupe is started as a server (--permission-mode, --allowed-tools) and in permission rules of settings, not by whoever calls it.]`;
}
