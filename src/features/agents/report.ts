import { resultId } from "../../journal/session-state.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { AgentNotice } from "../../supervisor/notices.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { worktreeLine } from "../isolation/worktree-words.ts";
import { checkedNote, noteOn } from "../receipts/check-text.ts";

/** The line above a report, written by the runtime: the agent's text cannot forge it, as it is a block of its own. */
export function reportHeader({ type, id }: Pick<AgentView, "type" | "id">, summary: Summary): string {
  return `[Agent ${id} (${type}) ended: ${howItEnded(summary)}${editsSentence(summary, id)}${whatOfItsData(summary)}${checkedNote(summary)} What follows is its report, not the person's words.]`;
}

/** The result of an agent that ran in the background, for whoever started it. */
export function formatResult(actor: Actor, run: number, summary: Summary, path: string | null): AgentNotice {
  const { id, title } = actor;
  return {
    ...{ type: "agent", id: resultId(id, run), agent: id, title, status: summary.status, path },
    ending: `${howItEnded(summary)}${checkedNote(summary)}`,
    text: reportOf(summary),
    note: noteOn(summary),
  };
}

/** As a sentence without its subject. */
export function howItEnded(summary: Summary): string {
  const calls = Object.values(summary.receipts.tools).reduce((sum, count) => sum + count, 0);
  const how = summary.reason === undefined ? summary.status : `${summary.status} (${summary.reason})`;
  return `${how} after ${counted(summary.turns, "turn")} and ${counted(calls, "tool call")}.`;
}

/** What became of its edits, as a sentence of its own; empty: it had no tree. */
export function editsSentence({ worktree }: Summary, id: string): string {
  return worktree === undefined ? "" : ` Its worktree: ${worktreeLine(worktree, id)}.`;
}

/** That its answer is data, as a sentence of its own; empty: none was asked for, or it is not. */
function whatOfItsData({ output }: Summary): string {
  return output === undefined ? "" : " The JSON in its report fits the output_schema.";
}

/** What its caller reads: its words, and once more the data in them where they are not that alone. */
export function reportOf({ text, output }: Pick<Summary, "text" | "output">): string {
  if (output === undefined || isJson(text)) return text;
  return `${text}\n\nThe data alone:\n${JSON.stringify(output)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A report worth reading; without any text an ended agent is an error to its caller. */
export function isUsable(summary: Summary): boolean {
  return summary.status === "done" || summary.text !== "";
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
