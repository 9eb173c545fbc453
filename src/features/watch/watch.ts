import type { Clock } from "../../lib/clock.ts";
import { oneLine, shorten } from "../../lib/text.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { StopRequest } from "../../supervisor/lifecycle.ts";
import {
  type Finding,
  judgeActor,
  judgeSession,
  type WatchedActor,
  type WatchedCall,
  type WatchLimits,
} from "./judge.ts";

/** What a watch reports. `actor` is null for the whole session. */
export type WatchNews = { readonly actor: ActorId | null } & (
  | /** Said once for each finding, while there is time. */
  { readonly type: "warn"; readonly finding: Finding; readonly sentence: string }
  /** Reported once: it must be stopped. */
  | { readonly type: "end"; readonly finding: Finding; readonly stop: StopRequest }
  /** All its warnings have resolved themselves. */
  | { readonly type: "well" }
  /** The machine slept, or this thread was blocked (faults 27, 68): these `ms` do not count. */
  | { readonly type: "paused"; readonly ms: number; readonly sentence: string }
);

export interface WatchOptions {
  readonly clock: Clock;
  readonly limits: WatchLimits;
  /** Milliseconds between two checks (default 1,000). */
  readonly periodMs?: number;
  /** The session's own deadline, in milliseconds from `startedAt`. */
  readonly session?: { readonly startedAt: number; readonly deadlineMs: number };
  /** Returns the actors that have not ended. Without any, no timer runs. */
  actors(): Iterable<WatchedActor>;
  onNews(news: WatchNews): void;
}

export interface Watch {
  /** Starts checking again after an actor started. Does nothing while the watch runs. */
  wake(): void;
  /** Clears its timer; nothing is reported after that. */
  stop(): void;
}

/** What was reported of one actor. */
interface Reported {
  readonly run: number;
  readonly warned: Set<string>;
  ended: boolean;
}

/** Checks every actor once a period, while there are any, and reports what is wrong before it is ended (C2, D2). */
export function startWatch(options: WatchOptions): Watch {
  const { clock, limits, periodMs = 1_000, session } = options;
  const awake = new AwakeTime(periodMs, clock.now());
  const since = (at: number) => awake.since(at);
  const reported = new Map<ActorId | null, Reported>();
  let withdraw: (() => void) | null = null;
  let stopped = false;

  const lookAt = (actor: WatchedActor | null, run: number, findings: readonly Finding[]) => {
    const id = actor?.id ?? null;
    const before = reported.get(id);
    if (findings.length === 0 && before === undefined) return;
    const known = before?.run === run ? before : { run, warned: new Set<string>(), ended: false };
    reported.set(id, known);
    if (known.ended) return;
    const [first] = findings;
    if (first === undefined) {
      reported.delete(id);
      if (known.warned.size > 0) options.onNews({ type: "well", actor: id });
      return;
    }
    if (first.leftMs <= 0) {
      known.ended = true;
      const stop = { status: "timed_out", reason: reasonOf(first) } as const;
      options.onNews({ type: "end", actor: id, finding: first, stop });
      return;
    }
    const keys = new Set(findings.map(keyOf));
    for (const key of known.warned) if (!keys.has(key)) known.warned.delete(key);
    for (const finding of findings) {
      if (known.warned.has(keyOf(finding))) continue;
      known.warned.add(keyOf(finding));
      options.onNews({ type: "warn", actor: id, finding, sentence: warningOf(actor, finding) });
    }
  };

  const look = () => {
    withdraw = null;
    const now = clock.now();
    const ms = awake.look(now);
    // Copied first: a report on one may end others.
    const actors = [...options.actors()];
    if (actors.length === 0) return reported.clear();
    try {
      if (ms > 0) options.onNews({ type: "paused", actor: null, ms, sentence: pauseOf(ms) });
      const here = new Set(actors.map(({ id }): ActorId | null => id));
      for (const id of reported.keys()) if (id !== null && !here.has(id)) reported.delete(id);
      for (const actor of actors) lookAt(actor, actor.run, judgeActor(actor, now, since, limits));
      if (session === undefined) return;
      const finding = judgeSession(session.startedAt, session.deadlineMs, since);
      lookAt(null, 1, finding === null ? [] : [finding]);
    } finally {
      arm();
    }
  };

  const arm = () => {
    if (!stopped) withdraw ??= clock.after(periodMs, look);
  };

  return {
    wake() {
      if (withdraw === null) awake.skipTo(clock.now());
      arm();
    },
    stop() {
      stopped = true;
      withdraw?.();
      withdraw = null;
    },
  };
}

function keyOf(finding: Finding): string {
  return finding.type === "call-overdue" ? `call-overdue ${finding.call.id}` : finding.type;
}

/** The number of periods without a check after which the machine is assumed to have slept, or been stopped. */
const ASLEEP_PERIODS = 5;

interface Sleep {
  readonly from: number;
  readonly to: number;
}

/**
 * Time without what the machine slept through (fault 27), when nothing could run. Some systems' monotonic clocks stop
 * in a sleep, others do not; this holds for both.
 */
export class AwakeTime {
  readonly #periodMs: number;
  #now: number;
  /** In order. One for each time a laptop was closed: there are never many. */
  #sleeps: Sleep[] = [];

  constructor(periodMs: number, now: number) {
    this.#periodMs = periodMs;
    this.#now = now;
  }

  /** Call this once a period. Returns the milliseconds slept since the last call. */
  look(now: number): number {
    const slept = now - this.#now > ASLEEP_PERIODS * this.#periodMs;
    const from = slept ? this.#now + this.#periodMs : now;
    if (slept) this.#sleeps.push({ from, to: now });
    this.#now = now;
    return now - from;
  }

  /** Skips a time without checks, because there was nothing to watch: it was no sleep. */
  skipTo(now: number): void {
    this.#now = now;
  }

  /** Returns the awake milliseconds from `at` to the last check. */
  since(at: number): number {
    let ms = Math.max(0, this.#now - at);
    for (let n = this.#sleeps.length - 1; n >= 0; n -= 1) {
      const sleep = this.#sleeps[n];
      if (sleep === undefined || sleep.to <= at) break;
      ms -= sleep.to - Math.max(sleep.from, at);
    }
    return ms;
  }
}

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
  return `${actor.type} "${shorten(oneLine(actor.description), TITLE_CHARS)}"`;
}

function placeOf(call: WatchedCall | null): string {
  return call === null ? "between two calls" : `in ${callOf(call)}`;
}

function callOf({ tool, title }: WatchedCall): string {
  const words = shorten(oneLine(title), TITLE_CHARS);
  return words === "" || words === tool ? tool : `${tool} "${words}"`;
}

function seconds(ms: number): string {
  return ms >= 1_000 || ms <= 0 ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.ceil(ms)} ms`;
}
