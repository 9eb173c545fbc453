import { worktreeLine } from "../features/isolation/worktree-words.ts";
import { noteOn } from "../features/receipts/check-text.ts";
import { totalTokens } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { SessionUsage } from "../session/options.ts";
import { statusMark, statusText } from "./agent-text.ts";
import { type Paint, paintFor } from "./colour.ts";
import { counted, shortCount, shortTime } from "./figures.ts";
import type { CliIO } from "./io.ts";
import type { JobEnd } from "./jobs.ts";
import type { Outlet } from "./output-stream.ts";
import type { Finished } from "./run-session.ts";
import { safeLine, safeText } from "./safe-text.ts";
import { agentsWords } from "./unfinished.ts";

/** A model's text for whoever reads it: as it is for a program, harmless for a terminal. */
export function resultText(text: string, { isTTY }: Outlet): string {
  const shown = isTTY ? safeText(text) : text;
  return shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`;
}

/** One summary per task, in the order given, each under a heading that says how it ended. */
export function fanoutText(
  tasks: readonly string[],
  ends: readonly JobEnd[],
  { stdout, env }: CliIO,
): string {
  const paint = paintFor(stdout, env);
  return ends
    .map((end, index) => `${heading(index + 1, tasks[index] ?? "", end, paint)}\n\n${body(end, stdout)}`)
    .join("\n");
}

function heading(number: number, task: string, { summary }: JobEnd, paint: Paint): string {
  const status = summary.status === "done" ? "" : ` (${statusText(summary.status)})`;
  return `## ${statusMark(summary.status, paint)} ${number}. ${paint("bold", safeLine(task))}${status}`;
}

/** What the agent said, why it ended otherwise, and what became of its edits. */
function body({ id, summary }: JobEnd, outlet: Outlet): string {
  const text = resultText(summary.text, outlet);
  const sentences = [
    reasonSentence(summary),
    editsSentence(summary, id),
    checkSentence(summary, outlet),
  ].filter((one) => one !== undefined);
  return [...(text === "" ? [] : [text]), ...sentences.map((one) => `${one}\n`)].join("\n");
}

/** What of its report could not be verified, line by line. */
function checkSentence(summary: JobEnd["summary"], { isTTY }: Outlet): string | undefined {
  const note = noteOn(summary);
  if (note !== null) return isTTY ? safeText(note) : note;
  return summary.unfounded ? "[No tool was run for this: nothing in it was looked up.]" : undefined;
}

function editsSentence({ worktree }: JobEnd["summary"], id: JobEnd["id"]): string | undefined {
  return worktree === undefined ? undefined : safeLine(worktreeLine(worktree, id ?? ""));
}

/** "3 agents · 12 turns · 45.2k tokens · 8.4 s" */
export function accountLine({ account, durationMs }: Finished): string {
  const turns = account.agents.reduce((sum, view) => sum + view.turns, 0);
  return [
    counted(account.agents.filter(({ id }) => id !== MAIN).length, "agent"),
    counted(turns, "turn"),
    `${shortCount(totalTokens(account.usage))} tokens`,
    shortTime(durationMs),
  ].join(" · ");
}

/** How the main conversation ended in the end: it may have gone on by itself. */
export function lastEnd({ ends, answered }: Finished): Omit<JobEnd, "id"> | undefined {
  return answered ?? ends[0];
}

/** A sentence on an end that is not `done`, or on what was stopped with one that is; for standard error. */
export function endSentence({ summary }: Pick<JobEnd, "summary">): string | undefined {
  if (summary.status === "done" || summary.reason !== undefined) return reasonSentence(summary);
  return `The conversation ended ${statusText(summary.status)}.`;
}

function reasonSentence({ status, reason }: JobEnd["summary"]): string | undefined {
  if (reason === undefined) return undefined;
  return safeLine(status === "done" ? reason : `${statusText(status)}: ${reason}`);
}

/** Who was stopped before their end, in one sentence; undefined where nobody was. */
export function unfinishedSentence({ unfinished }: Finished, now: number): string | undefined {
  if (unfinished.length === 0) return undefined;
  return safeLine(
    `${counted(unfinished.length, "agent")} stopped unfinished: ${agentsWords(unfinished, now)}.`,
  );
}

/** Calls that were not allowed, in one sentence; undefined where there were none. */
export function denialSentence({ denials }: SessionUsage): string | undefined {
  if (denials.length === 0) return undefined;
  const tools = [...new Set(denials.map(({ tool_name }) => tool_name))].join(", ");
  return safeLine(`${counted(denials.length, "call")} not allowed: ${tools}.`);
}
