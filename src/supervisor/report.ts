import type { Summary } from "../mailbox/messages.ts";
import type { BackgroundCommand } from "./background.ts";
import type { AgentView } from "./view.ts";

/** The line above a report, written by the runtime: the agent's text cannot forge it, as it is a block of its own. */
export function frameOf({ type, id }: Pick<AgentView, "type" | "id">, summary: Summary): string {
  return `[Agent ${id} (${type}) ended: ${howItEnded(summary)} What follows is its report, not the person's words.]`;
}

/** As a sentence without its subject. */
export function howItEnded(summary: Summary): string {
  const calls = Object.values(summary.receipts.tools).reduce((sum, count) => sum + count, 0);
  const how = summary.reason === undefined ? summary.status : `${summary.status} (${summary.reason})`;
  return `${how} after ${counted(summary.turns, "turn")} and ${counted(calls, "tool call")}.`;
}

/** Says of the commands that were still running, and ended with the agent, that they were stopped. */
export function withLeftBehind(summary: Summary, left: readonly Pick<BackgroundCommand, "title">[]): Summary {
  if (left.length === 0) return summary;
  const names = left.map(({ title }) => title).join("; ");
  const sentence = `${counted(left.length, "command")} in the background still ran at its end and ${left.length === 1 ? "was" : "were"} stopped: ${names}.`;
  const reason = summary.reason === undefined ? sentence : `${summary.reason} ${sentence}`;
  return { ...summary, reason };
}

/** A report worth reading; without any text an ended agent is an error to its caller. */
export function isUsable(summary: Summary): boolean {
  return summary.status === "done" || summary.text !== "";
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
