import type { AgentView } from "../../events/event.ts";
import { resultId } from "../../journal/session-state.ts";
import { parseJson } from "../../lib/json.ts";
import { formatCount } from "../../lib/text.ts";
import type { Summary, Unverified } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { AgentNotice } from "../../supervisor/notices.ts";
import { worktreeLine } from "../isolation/worktree-result.ts";

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

/** The rest is counted. */
const MOST_NAMED = 20;

/** Formats the result for the header of a report; empty if there is nothing to say. */
export function checkedNote({
  unverified = [],
  unfounded,
}: Pick<Summary, "unverified" | "unfounded">): string {
  const none = unfounded ? " No tool was run for it: nothing in its report was looked up." : "";
  const some =
    unverified.length === 0
      ? ""
      : ` ${unverified.length === 1 ? "One statement of its report is" : `${unverified.length} statements of its report are`} backed by nothing it has read or run; the note after it says which.`;
  return `${none}${some}`;
}

/** Returns the runtime's note after a report, or null if everything was verified. */
export function noteOn({ unverified = [] }: Pick<Summary, "unverified">): string | null {
  if (unverified.length === 0) return null;
  const named = unverified.slice(0, MOST_NAMED).map(lineOf);
  const more = unverified.length - named.length;
  return [
    "[Checked by the runtime against what the agent has really read, searched, written and run. Unverified in the report above; check it yourself before you rely on it:",
    ...named,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "]",
  ].join("\n");
}

function lineOf({ said, why }: Unverified): string {
  return `- ${JSON.stringify(said)}: ${why}`;
}
