import type { Activity, AgentView, SupervisorEvent } from "../events/event.ts";
import { worktreeGist } from "../features/isolation/worktree-result.ts";
import { totalTokens, type Usage } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Status, Summary } from "../mailbox/messages.ts";
import type { Paint } from "../terminal/colour.ts";
import { cutToWidth, displayWidth } from "../terminal/display-width.ts";
import { counted, dollars, shortCount, shortDate, shortTime } from "../terminal/figures.ts";
import { safeLine } from "../terminal/safe-text.ts";

/** Returns a status as users read it. */
export function statusText(status: Status): string {
  return status.replaceAll("_", " ");
}

export function statusMark(status: Status, paint: Paint): string {
  switch (status) {
    case "done":
      return paint("green", "✓");
    case "partial":
      return paint("yellow", "✗");
    case "cancelled":
      return paint("yellow", "⊘");
    case "failed":
    case "timed_out":
    case "out_of_turns":
    case "out_of_memory":
    case "over_budget":
      return paint("red", "✗");
    default:
      return status satisfies never;
  }
}

/** One character for an agent's state. */
export function stateMark(view: AgentView, paint: Paint): string {
  switch (view.state) {
    case "queued":
      return paint("dim", "○");
    case "starting":
      return paint("cyan", "◌");
    case "running":
      return paint("cyan", "●");
    case "paused":
      return paint("yellow", "◑");
    case "waiting":
      return paint("cyan", "◐");
    case "cancelling":
      return paint("yellow", "◌");
    case "ended":
      return view.summary ? statusMark(view.summary.status, paint) : paint("red", "✗");
    default:
      return view.state satisfies never;
  }
}

/** `✓ Explore · find it  done · 3 turns · 4.1k tok · 2.3 s`, of an agent that has ended. */
export function agentEndLine(view: AgentView, columns: number, paint: Paint): string {
  const { endedAt, createdAt } = view;
  const name = nameToFit(view, Math.max(8, columns - 4));
  const how = `  ${ending(view)} · ${agentFigures(view, endedAt ?? createdAt)}`;
  const room = columns - 2 - displayWidth(name);
  return `${stateMark(view, paint)} ${name}${room > 8 ? paint("dim", cutToWidth(how, room)) : ""}`;
}

/** `✗ npm run build  It ended with exit code 3.`, of a command that has ended in the background; null while it runs. */
export function commandEndLine(
  { title, state, ending = "" }: Extract<SupervisorEvent, { type: "command" }>,
  columns: number,
  paint: Paint,
): string | null {
  if (state === "running") return null;
  const mark = { completed: "✓", failed: "✗", killed: "⊘" }[state];
  const colour = ({ completed: "green", failed: "red", killed: "yellow" } as const)[state];
  const end = `  ${safeLine(ending)}`;
  const name = cutToWidth(safeLine(title), Math.max(8, columns - 2 - displayWidth(end)));
  return `${paint(colour, mark)} ${name}${paint("dim", cutToWidth(end, Math.max(1, columns - 2 - displayWidth(name))))}`;
}

/** What an agent is doing, and on which machine if not this one, or how it ended. */
export function doing(view: AgentView, now: number): string {
  const { runner, attempt = 1 } = view;
  if (runner === undefined || view.state === "ended") return doingHere(view, now);
  const place = `@${safeLine(runner)}${attempt > 1 ? ` (attempt ${attempt})` : ""}`;
  return [place, doingHere(view, now)].filter(Boolean).join(" · ");
}

function doingHere(view: AgentView, now: number): string {
  switch (view.state) {
    case "queued":
    case "starting":
      return view.state;
    case "cancelling":
      return "being cancelled";
    case "ended":
      return ending(view);
    case "running":
    case "paused":
    case "waiting":
      return workWords(view, now) || (view.state === "waiting" ? "waiting" : "");
    default:
      return view.state satisfies never;
  }
}

/** The same, after where another agent writes to the same file: lines are cut at their end. */
export function formatDoingAndOverlap(view: AgentView, now: number): string {
  const where = view.overlap === null ? "" : safeLine(view.overlap);
  return [where, doing(view, now)].filter(Boolean).join(" · ");
}

function ending({ summary }: AgentView): string {
  if (!summary) return "ended";
  const reason = summary.status === "done" ? undefined : summary.reason;
  const gist = summary.worktree === undefined ? null : worktreeGist(summary.worktree);
  // Before the reason, which may be long.
  const words = [statusText(summary.status), ...checkWords(summary), ...(gist === null ? [] : [gist])].join(
    " · ",
  );
  return reason ? `${words}: ${safeLine(reason)}` : words;
}

/** What the runtime could not verify in its report. */
function checkWords({ unverified = [], unfounded, acceptance }: Summary): string[] {
  return [
    ...(acceptance === undefined ? [] : [acceptance.verdict]),
    ...(unfounded ? ["no tool run"] : []),
    ...(unverified.length > 0 ? [`unverified: ${unverified.length}`] : []),
  ];
}

/** The step it works on comes before the call; what keeps it from working comes alone. */
function workWords({ activity, doing: step }: AgentView, now: number): string {
  const words = activityWords(activity, now);
  if (step === null || ["retrying", "paused", "asking"].includes(activity.type)) return words;
  const shown = safeLine(step);
  return activity.type === "tool" ? `${shown} · ${words}` : shown;
}

function activityWords(activity: Activity, now: number): string {
  switch (activity.type) {
    case "idle":
      return "";
    case "model":
      return activity.writes === undefined
        ? "asking the model"
        : safeLine(`writing a call of ${activity.writes}`);
    case "tool":
      return safeLine(`${activity.tool} ${activity.title}`);
    case "asking":
      return "waiting for your answer";
    case "retrying": {
      const seconds = Math.max(0, Math.ceil((activity.until - now) / 1000));
      const then = activity.attempt === null ? "giving up" : "trying again";
      return `${then} in ${seconds} s: ${safeLine(activity.reason)}`;
    }
    case "paused":
      return activity.until <= now
        ? "asking the model"
        : `paused for ${shortTime(activity.until - now)}, until ${shortDate(activity.at)}: ${safeLine(activity.model)}`;
    default:
      return activity satisfies never;
  }
}

/** Its type and what it does; the type of the main conversation says nothing. */
export function agentName({ id, type, description }: Pick<AgentView, "id" | "type" | "description">): string {
  const words = id === MAIN ? [description || type] : [type, description];
  return safeLine(words.filter(Boolean).join(" · "));
}

/** The same, cut to these columns: without its type, which several share, if there is no room for both. */
export function nameToFit(view: Pick<AgentView, "id" | "type" | "description">, columns: number): string {
  const name = agentName(view);
  if (displayWidth(name) <= columns || view.description === "") return cutToWidth(name, columns);
  return cutToWidth(safeLine(view.description), columns);
}

/** Turns, tokens, money if there is any, and time of an agent so far. */
export function agentFigures(view: AgentView, now: number): string {
  const { turns, usage, costUsd, state, startedAt, createdAt, endedAt, lastSignAt } = view;
  const figures = runFigures({ turns, usage, costUsd, ms: (endedAt ?? now) - (startedAt ?? createdAt) });
  const silenceMs = now - lastSignAt;
  // Pieces of a reply are not reported, and a server that falls silent is: as a wait.
  return state === "running" && view.activity.type !== "model" && silenceMs >= SILENCE_MS
    ? `${figures} · quiet for ${shortTime(silenceMs)}`
    : figures;
}

/** The same of a run that has ended. `ms`: null if unknown. */
export function runFigures(run: {
  readonly turns: number;
  readonly usage: Usage;
  readonly costUsd?: number;
  readonly ms: number | null;
}): string {
  return [
    counted(run.turns, "turn"),
    `${shortCount(totalTokens(run.usage))} tok`,
    ...(run.costUsd ? [dollars(run.costUsd)] : []),
    ...(run.ms === null ? [] : [shortTime(run.ms)]),
  ].join(" · ");
}

/** Milliseconds of silence that are worth a word; the gateway reports an open request sooner. */
const SILENCE_MS = 15_000;
