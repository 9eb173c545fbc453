import type { AgentView } from "../../events/event.ts";
import { resultId } from "../../journal/session-state.ts";
import { parseJson } from "../../lib/json.ts";
import { formatCount } from "../../lib/text.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { AgentNotice } from "../../supervisor/notices.ts";
import { worktreeLine } from "../isolation/worktree-result.ts";
import { checkedNote, noteOn } from "../receipts/check-text.ts";

/** Formats the line above a report. It is a separate block, so that the agent's text cannot forge it. */
export function reportHeader({ type, id }: Pick<AgentView, "type" | "id">, summary: Summary): string {
  return `[Agent ${id} (${type}) ended: ${howItEnded(summary)}${verdictSentence(summary)}${editsSentence(summary, id)}${whatOfItsData(summary)}${checkedNote(summary)} What follows is its report, not a message from the user.]`;
}

/** Formats the result of a background agent for its caller. */
export function formatResult(actor: Actor, run: number, summary: Summary, path: string | null): AgentNotice {
  const { id, title } = actor;
  return {
    ...{ type: "agent", id: resultId(id, run), agent: id, title, status: summary.status, path },
    ending: `${howItEnded(summary)}${verdictSentence(summary)}${checkedNote(summary)}`,
    text: reportOf(summary),
    note: noteOn(summary),
  };
}

/** Formats the ending as a sentence without its subject. */
export function howItEnded(summary: Summary): string {
  const calls = Object.values(summary.receipts.tools).reduce((sum, count) => sum + count, 0);
  const how = summary.reason === undefined ? summary.status : `${summary.status} (${summary.reason})`;
  return `${how} after ${formatCount(summary.turns, "turn")} and ${formatCount(calls, "tool call")}.`;
}

/** Formats that its work was accepted as a sentence; why it was rejected is the reason of its end. */
function verdictSentence({ acceptance }: Summary): string {
  return acceptance?.verdict === "accepted" ? " The check that was stated for its work passed." : "";
}

/** Formats the result of its edits as a sentence, or an empty text if it had no worktree. */
export function editsSentence({ worktree }: Summary, id: string): string {
  return worktree === undefined ? "" : ` Its worktree: ${worktreeLine(worktree, id)}.`;
}

/** Formats a sentence that its answer is data, or an empty text if it is not. */
function whatOfItsData({ output }: Summary): string {
  return output === undefined ? "" : " The JSON in its report fits the output_schema.";
}

/** Returns what the caller reads: its text, followed by the data in it unless the text is only the data. */
export function reportOf({ text, output }: Pick<Summary, "text" | "output">): string {
  if (output === undefined || parseJson(text) !== undefined) return text;
  return `${text}\n\nThe data alone:\n${JSON.stringify(output)}`;
}

/** True if the report has text; an ended agent without any is an error to its caller. */
export function isUsable(summary: Summary): boolean {
  return summary.status === "done" || summary.text !== "";
}
