import { MAIN } from "../../mailbox/ids.ts";
import type { Finding } from "./judge.ts";
import type { WatchedActor, WatchedCall } from "./watched-actor.ts";

const TITLE_CHARS = 80;

/** Formats a warning for the user while there is still time. */
export function warningOf(actor: WatchedActor | null, finding: Finding): string {
  const { forMs, leftMs } = finding;
  const end = `it will be ended in ${seconds(leftMs)}.`;
  switch (finding.type) {
    case "blocked":
      return `${nameOf(actor)} has been stuck for ${seconds(forMs)} ${placeOf(finding.call)}; ${end}`;
    case "silent":
      return `${nameOf(actor)} has heard nothing from the model for ${seconds(forMs)}; ${end}`;
    case "away":
      return `The runner of ${nameOf(actor)} has not been heard of for ${seconds(forMs)}; the agent waits for it.`;
    case "call-overdue":
      return `${nameOf(actor)} has been busy with ${callOf(finding.call)} for ${seconds(forMs)}, longer than ${seconds(finding.deadlineMs)}; ${end}`;
    case "agent-deadline":
      return `${nameOf(actor)} has ${seconds(leftMs)} left of its ${seconds(finding.deadlineMs)}; then it will be ended.`;
    case "session-deadline":
      return `The session has ${seconds(leftMs)} left of its ${seconds(finding.deadlineMs)}; then all that runs will be ended.`;
    default:
      return finding satisfies never;
  }
}

/** Formats why it was ended: for the summary, which its parent's model reads. */
export function reasonOf(finding: Finding): string {
  const { forMs } = finding;
  switch (finding.type) {
    case "blocked":
      return `It was stuck for ${seconds(forMs)} ${placeOf(finding.call)}: its thread did not move.`;
    case "silent":
      return `It heard nothing from the model for ${seconds(forMs)}, though it had asked: its connection was lost.`;
    case "away":
      return `Its runner was not heard of for ${seconds(forMs)}.`;
    case "call-overdue":
      return `${callOf(finding.call)} did not end within ${seconds(finding.deadlineMs)}.`;
    case "agent-deadline":
      return `It did not end within ${seconds(finding.deadlineMs)}.`;
    case "session-deadline":
      return `The session's time of ${seconds(finding.deadlineMs)} was up.`;
    default:
      return finding satisfies never;
  }
}

export function pauseOf(ms: number): string {
  return `Nothing of this session could move for ${seconds(ms)}: the machine slept, or was too busy. That time counts against no agent.`;
}

function nameOf(actor: WatchedActor | null): string {
  if (actor === null) return "The session";
  if (actor.id === MAIN) return "The main conversation";
  return `${actor.type} "${short(actor.description)}"`;
}

function placeOf(call: WatchedCall | null): string {
  return call === null ? "between two calls" : `in ${callOf(call)}`;
}

function callOf({ tool, title }: WatchedCall): string {
  const words = short(title);
  return words === "" || words === tool ? tool : `${tool} "${words}"`;
}

/** Shortens text of a model to one line. */
function short(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  const signs = [...line];
  return signs.length <= TITLE_CHARS ? line : `${signs.slice(0, TITLE_CHARS - 1).join("")}…`;
}

function seconds(ms: number): string {
  return ms >= 1_000 || ms <= 0 ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.ceil(ms)} ms`;
}
