import type { ActorId } from "../../mailbox/ids.ts";
import { escapeNotice, type Notice } from "../../supervisor/notices.ts";
import type { OverlapNotice, Touch } from "./touch.ts";

/** Files that are named; the others are counted. */
const MAX_NAMED = 10;
/** Characters of another agent's description on a line of the live tree. */
const MAX_DESCRIPTION = 40;

function overlapTitle(touches: readonly Touch[]): string {
  return `shared work on ${namedFiles(touches, 1)}`;
}

/** Builds the notice for an agent that others write to its files; it replaces the earlier one. */
export function overlapNotice(touches: readonly Touch[]): OverlapNotice {
  const isNew = (one: Touch) => !touches.some(({ other, path }) => other === one.other && path === one.path);
  return {
    ...{ title: overlapTitle(touches), text: escapeNotice(overlapText(touches)), touches },
    ...{ isQuiet: true, key: "overlap" },
    mergeAfter: (earlier) => overlapNotice([...touchesIn(earlier).filter(isNew), ...touches]),
  };
}

function touchesIn(notice: Notice | OverlapNotice): readonly Touch[] {
  return "touches" in notice ? notice.touches : [];
}

function overlapText(touches: readonly Touch[]): string {
  const files = touches.length === 1 ? "file" : "files";
  const others =
    new Set(touches.map(({ other }) => other)).size === 1 ? "Another agent is" : "Other agents are";
  return [
    `${others} changing the same ${files} as you, at this moment:`,
    ...touches.slice(0, MAX_NAMED).map(lineOf),
    ...(touches.length > MAX_NAMED ? [`- and ${touches.length - MAX_NAMED} more.`] : []),
    adviceFor(touches),
  ].join("\n");
}

function lineOf({ path, lines, other, description }: Touch): string {
  return `- ${path}${WHERE[lines]}: ${agentLabel(other, description)}`;
}

const WHERE = { same: " (the same lines)", others: " (other lines)", unknown: "" } as const;

function adviceFor(touches: readonly Touch[]): string {
  const reach = "SendMessage reaches the other one by its id.";
  return touches.some(({ lines }) => lines === "same")
    ? `Leave those lines to it, or agree with it on who changes them: ${reach}`
    : `Keep your change there small, and away from what it changes: ${reach}`;
}

export function agentLabel(actor: ActorId, description: string): string {
  return description === "" ? `agent ${actor}` : `"${oneLine(description)}" (agent ${actor})`;
}

/** Returns one phrase for the live tree, or null. */
export function overlapPhrase(touches: readonly Touch[]): string | null {
  const [first] = touches;
  if (first === undefined) return null;
  const others = new Set(touches.map(({ other }) => other)).size;
  const who = `${shortly(first)}${others > 1 ? ` and ${others - 1} more` : ""}`;
  return `also in ${namedFiles(touches, 1)}${first.lines === "same" ? " (same lines)" : ""}: ${who}`;
}

export function waitingPhrase(path: string, holder: { other: ActorId; description: string } | null): string {
  return `waits for ${path}${holder === null ? "" : `: ${shortly(holder)}`}`;
}

function namedFiles(touches: readonly Touch[], named: number): string {
  const paths = [...new Set(touches.map(({ path }) => path))];
  const more = paths.length - named;
  return `${paths.slice(0, named).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function shortly({ other, description }: Pick<Touch, "other" | "description">): string {
  const words = oneLine(description) || `agent ${other}`;
  return words.length <= MAX_DESCRIPTION ? words : `${words.slice(0, MAX_DESCRIPTION - 1)}…`.toWellFormed();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Formats why a write is refused, and what to do instead. */
export function refusedWords(path: string, holder: string): string {
  return `${path} is being changed by ${holder}, and its edits are not merged yet, so nothing was written. Do other work first and try this file later, or leave this part to that agent: SendMessage reaches it by its ID.`;
}

export function deadlockText(path: string, holder: string): string {
  return `${path} is being changed by ${holder}, which itself waits for you, so waiting would never end; nothing was written. Finish without this file and say in your report what is left to do in it.`;
}

export const OVER = "This agent has ended, so nothing was written.";
