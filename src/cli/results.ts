import type { SessionUsage } from "../features/budget/usage-meter.ts";
import { worktreeLine } from "../features/isolation/worktree-result.ts";
import { noteOn } from "../features/receipts/check-text.ts";
import { totalTokens } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import { paintFor } from "../terminal/colour.ts";
import { counted, shortCount, shortTime } from "../terminal/figures.ts";
import type { Outlet } from "../terminal/output-stream.ts";
import { safeLine, safeText } from "../terminal/safe-text.ts";
import { statusMark, statusText } from "./agent-text.ts";
import type { JobEnd } from "./jobs.ts";
import type { CliIO } from "./process-io.ts";
import type { SessionEnd } from "./run-session.ts";
import { agentsText } from "./unfinished.ts";

/** A model's text: as it is for a program, harmless for a terminal. */
export function formatResultText(text: string, { isTTY }: Outlet): string {
  const shown = isTTY ? safeText(text) : text;
  return shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`;
}

/** One summary per task, in the order given, each under a heading with its status. */
export function fanoutText(
  tasks: readonly string[],
  ends: readonly JobEnd[],
  { stdout, env }: CliIO,
): string {
  const paint = paintFor(stdout, env);
  return ends
    .map(({ id, summary }, index) => {
      const status = summary.status === "done" ? "" : ` (${statusText(summary.status)})`;
      const task = paint("bold", safeLine(tasks[index] ?? ""));
      const heading = `## ${statusMark(summary.status, paint)} ${index + 1}. ${task}${status}`;
      const notes = endNotes(summary, id).map((note) => `${stdout.isTTY ? safeText(note) : note}\n`);
      return [
        heading,
        "",
        [formatResultText(summary.text, stdout), ...notes].filter(Boolean).join("\n"),
      ].join("\n");
    })
    .join("\n");
}

/** Returns what a user must know of an end in addition to its report: why, its edits, and what could not be verified. */
export function endNotes(summary: Summary, id: string | null): string[] {
  const { worktree, unfounded } = summary;
  return [
    reasonOf(summary),
    worktree === undefined ? undefined : safeLine(worktreeLine(worktree, id ?? "")),
    noteOn(summary) ?? (unfounded ? "[No tool was run for this: nothing in it was looked up.]" : undefined),
  ].filter((note) => note !== undefined);
}

/** "3 agents · 12 turns · 45.2k tokens · 8.4 s" */
export function accountLine({ account, durationMs }: SessionEnd): string {
  const turns = account.agents.reduce((sum, view) => sum + view.turns, 0);
  return [
    counted(account.agents.filter(({ id }) => id !== MAIN).length, "agent"),
    counted(turns, "turn"),
    `${shortCount(totalTokens(account.usage))} tokens`,
    shortTime(durationMs),
  ].join(" · ");
}

/** The main conversation's last end: it may have continued by itself. */
export function lastEnd({ ends, answered }: SessionEnd): Omit<JobEnd, "id"> | undefined {
  return answered ?? ends[0];
}

/** A sentence on an end that is not `done`, or on what was stopped with one that is; for standard error. */
export function endSentence({ summary }: Pick<JobEnd, "summary">): string | undefined {
  if (summary.status === "done" || summary.reason !== undefined) return reasonOf(summary);
  return `The conversation ended ${statusText(summary.status)}.`;
}

function reasonOf({ status, reason }: Summary): string | undefined {
  if (reason === undefined) return undefined;
  return safeLine(status === "done" ? reason : `${statusText(status)}: ${reason}`);
}

/** Names the agents that were stopped before their end; undefined if there were none. */
export function unfinishedSentence({ unfinished }: SessionEnd, now: number): string | undefined {
  if (unfinished.length === 0) return undefined;
  return safeLine(
    `${counted(unfinished.length, "agent")} stopped unfinished: ${agentsText(unfinished, now)}.`,
  );
}

/** Names the tools of calls that were not allowed; undefined if there were none. */
export function denialSentence({ denials }: Pick<SessionUsage, "denials">): string | undefined {
  if (denials.length === 0) return undefined;
  const tools = [...new Set(denials.map(({ tool_name }) => tool_name))].join(", ");
  return safeLine(`${counted(denials.length, "call")} not allowed: ${tools}.`);
}

/** Prints on standard error which calls were refused, and why; the code for it is loaded only if there are some. */
export async function printRefusals(
  { stderr }: Pick<CliIO, "stderr">,
  { denials }: Pick<SessionUsage, "denials">,
): Promise<void> {
  if (denials.length === 0) return;
  const { refusalLines } = await import("./permissions/format.ts");
  for (const line of refusalLines(denials)) await stderr.write(`${line}\n`);
}

/**
 * True if an agent's edits are where they were asked to be: for `keep` on their branch, else merged, with no deletion
 * held back. An agent without a worktree has none.
 */
export function areEditsMerged({ worktree }: Pick<Summary, "worktree">, merge: MergeMode): boolean {
  if (worktree === undefined) return true;
  switch (worktree.outcome) {
    case "empty":
      return true;
    case "merged":
      return (worktree.held ?? []).length === 0;
    case "kept":
      return merge === "keep";
    case "conflict":
      return false;
    default:
      return worktree.outcome satisfies never;
  }
}
