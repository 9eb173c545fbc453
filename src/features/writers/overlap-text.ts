import { oneLine, shorten } from "../../lib/text.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { escapeNotice, type Notice } from "../../supervisor/notices.ts";

/** Whether two agents change the same lines of a file; `unknown` if that cannot be found out in time. */
export type TouchedLines = "same" | "others" | "unknown";

/** Another agent that writes to the same file, as one of the two sees it. */
export interface Touch {
  readonly other: ActorId;
  readonly description: string;
  readonly path: string;
  readonly lines: TouchedLines;
}

/** Everything found at one moment. */
export interface OverlapNotice extends Notice {
  readonly touches: readonly Touch[];
}

/** Files that are named; the others are counted. */
const MAX_NAMED = 10;
/** Characters of another agent's description on a line of the live tree. */
const MAX_DESCRIPTION = 40;

/** Builds the notice for an agent that others write to its files; it replaces the earlier one. */
export function overlapNotice(touches: readonly Touch[]): OverlapNotice {
  const isNew = (one: Touch) => !touches.some(({ other, path }) => other === one.other && path === one.path);
  return {
    ...{ title: `shared work on ${firstFile(touches)}`, text: escapeNotice(overlapText(touches)), touches },
    ...{ isQuiet: true, key: "overlap" },
    mergeAfter: (earlier) => overlapNotice([...touchesIn(earlier).filter(isNew), ...touches]),
  };
}

function touchesIn(notice: Notice | OverlapNotice): readonly Touch[] {
  return "touches" in notice ? notice.touches : [];
}

function overlapText(touches: readonly Touch[]): string {
  const others = countOthers(touches) === 1 ? "Another agent is" : "Other agents are";
  const more = touches.length - MAX_NAMED;
  const advice = touches.some(({ lines }) => lines === "same")
    ? "Leave those lines to it, or agree with it on who changes them:"
    : "Keep your change there small, and away from what it changes:";
  return [
    `${others} changing the same ${touches.length === 1 ? "file" : "files"} as you, at this moment:`,
    ...touches
      .slice(0, MAX_NAMED)
      .map(
        ({ path, lines, other, description }) =>
          `- ${path}${WHERE[lines]}: ${agentLabel(other, description)}`,
      ),
    ...(more > 0 ? [`- and ${more} more.`] : []),
    `${advice} SendMessage reaches the other one by its id.`,
  ].join("\n");
}

const WHERE = { same: " (the same lines)", others: " (other lines)", unknown: "" } as const;

export function agentLabel(actor: ActorId, description: string): string {
  return description === "" ? `agent ${actor}` : `"${oneLine(description)}" (agent ${actor})`;
}

/** Returns one phrase for the live tree, or null. */
export function overlapPhrase(touches: readonly Touch[]): string | null {
  const [first] = touches;
  if (first === undefined) return null;
  const more = countOthers(touches) - 1;
  return `also in ${firstFile(touches)}${first.lines === "same" ? " (same lines)" : ""}: ${shortly(first)}${more > 0 ? ` and ${more} more` : ""}`;
}

export function waitingPhrase(path: string, owner: Pick<Touch, "other" | "description"> | null): string {
  return `waits for ${path}${owner === null ? "" : `: ${shortly(owner)}`}`;
}

function countOthers(touches: readonly Touch[]): number {
  return new Set(touches.map(({ other }) => other)).size;
}

function firstFile(touches: readonly Touch[]): string {
  const [first = "", ...more] = new Set(touches.map(({ path }) => path));
  return more.length > 0 ? `${first} and ${more.length} more` : first;
}

function shortly({ other, description }: Pick<Touch, "other" | "description">): string {
  return shorten(oneLine(description), MAX_DESCRIPTION) || `agent ${other}`;
}

/** Formats why a write is refused, and what to do instead. */
export function refusedText(path: string, owner: string): string {
  return `${path} is being changed by ${owner}, and its edits are not merged yet, so nothing was written. Do other work first and try this file later, or leave this part to that agent: SendMessage reaches it by its ID.`;
}

export function deadlockText(path: string, owner: string): string {
  return `${path} is being changed by ${owner}, which itself waits for you, so waiting would never end; nothing was written. Finish without this file and say in your report what is left to do in it.`;
}

export const OVER = "This agent has ended, so nothing was written.";
