import type { ModelPause } from "../mailbox/model.ts";
import type { ModelOutcome } from "./client.ts";
import { retryable } from "./failures.ts";

/** Both clocks at one moment. The monotonic one can stand still while the machine sleeps, the other one can be set. */
export interface Moment {
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

/** Why and how long a model must be held. */
export interface HoldRequest {
  /** Null: for a time that grows with each try. */
  readonly ms: number | null;
  readonly reason: string;
  /** Milliseconds that it may be held in all until it answers again. */
  readonly mostMs: number;
  /** The one that tried has failed: what it learnt counts, even if it is a shorter time. */
  readonly afterProbe: boolean;
}

interface State {
  readonly until: Moment;
  readonly since: Moment;
  readonly reason: string;
  readonly nextMs: number;
  /** The server named the time. */
  readonly isNamed: boolean;
  /** A request is under way that finds out whether it is over. */
  readonly isProbed: boolean;
  /** The session was resumed, and nothing was tried since: one can immediately, and no pause is reported before it has failed. */
  readonly isUntried: boolean;
}

/** Milliseconds for which a model is held where its server names no time: twice as long after each try. */
const FIRST_MS = 60_000;
const LONGEST_MS = 300_000;
/** Refusals that come together name about the same moment. */
const SAME_MS = 2_000;

/** Whether a model is held: no request starts until its time has come by one of the clocks, then one tries, and the others follow if it is accepted. */
export class Hold {
  #state: State | null = null;

  get isOn(): boolean {
    return this.#state !== null;
  }

  /** What to tell those who wait, or null. */
  get pause(): Omit<ModelPause, "model"> | null {
    if (this.#state === null || this.#state.isUntried) return null;
    const { until, since, reason } = this.#state;
    return { until: until.wall, since: since.wall, reason };
  }

  /** Holds the model. Returns whether that is a new pause, or null if it would be held for too long. */
  start({ ms, reason, mostMs, afterProbe }: HoldRequest, at: Moment): boolean | null {
    const before = this.#state;
    const wait =
      ms ?? Math.max(before?.nextMs ?? FIRST_MS, before?.isUntried ? before.until.now - at.now : 0);
    const since = before?.since ?? at;
    if (at.now + wait - since.now > mostMs) return null;
    if (before !== null && !afterProbe && (ms === null || at.now + wait <= before.until.now + SAME_MS))
      return false;
    const nextMs = ms === null ? Math.min(LONGEST_MS, 2 * wait) : FIRST_MS;
    this.#state = {
      until: later(at, wait),
      since,
      reason,
      nextMs,
      isNamed: ms !== null,
      isProbed: false,
      isUntried: false,
    };
    return true;
  }

  /** It was held when the session was left. */
  restore({ until, reason }: Omit<ModelPause, "model">, at: Moment): void {
    const left = until - at.wall;
    if (left <= 0) return;
    this.#state = {
      until: later(at, left),
      since: at,
      reason,
      nextMs: FIRST_MS,
      isNamed: true,
      isProbed: false,
      isUntried: true,
    };
  }

  /** When one may try, or null if it is not held. */
  opensAt({ now, wall }: Moment): number | null {
    if (this.#state === null) return null;
    const { until, isProbed, isUntried } = this.#state;
    if (isProbed) return Number.POSITIVE_INFINITY;
    return isUntried ? now : now + Math.min(until.now - now, until.wall - wall);
  }

  /** A request leaves; returns whether it is the one that tries. */
  sent(): boolean {
    if (this.#state === null) return false;
    this.#state = { ...this.#state, isProbed: true };
    return true;
  }

  /** The one that tries was accepted. Returns whether a limit is over whose time the server had named. */
  end(): boolean {
    const isNamed = this.#state?.isNamed ?? false;
    this.#state = null;
    return isNamed;
  }

  /** The one that tried is over. If it failed, the model stays held for now: who sent it knows for how long. */
  probed(outcome: ModelOutcome, now: number): void {
    if (!this.#state?.isProbed) return;
    const state = { ...this.#state, isProbed: false };
    const failure = outcome.type === "failure" ? outcome.failure : null;
    if (failure?.kind === "cancelled") this.#state = state;
    else if (failure === null || !(retryable(failure) || failure.kind === "spend_limit")) this.#state = null;
    else {
      const more = Math.max(0, now + state.nextMs - state.until.now);
      this.#state = { ...state, until: later(state.until, more), isUntried: false };
    }
  }
}

function later({ now, wall }: Moment, ms: number): Moment {
  return { now: now + ms, wall: wall + ms };
}
