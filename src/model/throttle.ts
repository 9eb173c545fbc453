import type { ModelFailureKind, ModelOutcome } from "./client.ts";
import { retryable } from "./failures.ts";
import { Hold, type Moment } from "./hold.ts";
import { SendRate } from "./send-rate.ts";

/** Requests that were refused or failed before and may be tried again at the same time, before any was answered. */
const FIRST_RETRIES = 4;

/** One attempt in flight. */
export interface Flight {
  readonly sentAt: number;
  /** It finds out whether a model that was held answers again. */
  readonly probe: boolean;
  readonly retry: boolean;
  /** It tries whether one more may run. */
  readonly tries: boolean;
  state: "unanswered" | "accepted" | "refused" | "over";
}

/**
 * When the next request to one model may leave: at the rate and next to as many as its server has shown to take, after the
 * pause it asked for (Retry-After), and with few second tries at a time. Holds back no request until a refusal gives a reason.
 */
export class Throttle {
  readonly #random: () => number;
  #rate: SendRate;
  #concurrency = new ConcurrencyLimit();
  #running = 0;
  #accepted = 0;
  #retrying = 0;
  #retryRoom = FIRST_RETRIES;
  #lastAcceptedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #pauseReason = "";
  readonly hold = new Hold();

  constructor(random: () => number) {
    this.#random = random;
    this.#rate = new SendRate(random);
  }

  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  get pauseReason(): string {
    return this.#pauseReason;
  }

  /** When a request was let in last. */
  get lastAcceptedAt(): number {
    return this.#lastAcceptedAt;
  }

  /** No request starts for `ms`; returns how much longer than before that is. */
  pause(ms: number, reason: string, now: number): number {
    const until = now + ms;
    if (until <= this.#pausedUntil) return 0;
    const longer = until - Math.max(now, this.#pausedUntil);
    this.#pausedUntil = until;
    this.#pauseReason = reason;
    return longer;
  }

  /** It has answered in this session. */
  get hasWorked(): boolean {
    return this.hold.isOn || this.#lastAcceptedAt > Number.NEGATIVE_INFINITY;
  }

  /** When the next one may leave: `now` or before, later, or infinite where an answer is waited for. */
  opensAt(retry: boolean, at: Moment): number {
    const held = this.hold.opensAt(at);
    if (held === null && retry && this.#retrying >= this.#retryRoom) return Number.POSITIVE_INFINITY;
    if (held !== null && held > at.now) return held;
    return Math.max(this.#pausedUntil, this.#rate.opensAt, this.#concurrency.opensAt(this.#running));
  }

  sent(retry: boolean, now: number): Flight {
    const tries = this.#concurrency.sent(this.#running);
    this.#rate.sent(now);
    this.#running += 1;
    if (retry) this.#retrying += 1;
    return { sentAt: now, probe: this.hold.sent(), retry, tries, state: "unanswered" };
  }

  /** The server has begun to answer. */
  answered(flight: Flight, accepted: boolean, now: number): void {
    if (flight.state !== "unanswered") return;
    this.#setState(flight, accepted ? "accepted" : "refused");
    if (accepted && flight.probe && this.hold.end()) this.#forgetLimits();
    if (accepted) this.#letIn(flight, now, true);
  }

  /** The attempt is over, with this outcome; to be called once for each that was sent. */
  ended(flight: Flight, outcome: ModelOutcome, now: number): void {
    this.#running -= 1;
    if (flight.probe) this.hold.probed(outcome, now);
    if (outcome.type === "reply") {
      if (flight.state === "unanswered") {
        this.#setState(flight, "accepted");
        this.#letIn(flight, now, false);
      }
    } else this.#failed(flight, outcome.failure.kind, retryable(outcome.failure), now);
    if (flight.state === "accepted") this.#accepted -= 1;
    if (flight.state === "unanswered") this.#setState(flight, "over");
    flight.state = "over";
  }

  /** A limit that is reset was no sign of a rate that is too high. */
  #forgetLimits(): void {
    this.#rate = new SendRate(this.#random);
    this.#concurrency = new ConcurrencyLimit();
  }

  #failed(flight: Flight, kind: ModelFailureKind, again: boolean, now: number): void {
    if (again) this.#retryRoom = FIRST_RETRIES;
    switch (kind) {
      case "rate_limit":
        this.#limited(flight, now);
        return;
      case "overloaded": {
        if (flight.state !== "accepted") this.#concurrency.untold(flight.tries, now);
        if (this.#rate.refused("overloaded", flight.sentAt, now)) this.#concurrency.halve(this.#running, now);
        return;
      }
      default:
        if (flight.state !== "accepted") this.#concurrency.untold(flight.tries, now);
    }
  }

  #limited(flight: Flight, now: number): void {
    // It was one more than runs elsewhere, and was sent to learn just this: the rate is not to blame.
    if (flight.tries && flight.state !== "accepted") {
      this.#concurrency.held(now);
      return;
    }
    const news = this.#rate.refused("limited", flight.sentAt, now);
    this.#concurrency.refused(this.#running, news, now);
  }

  #letIn({ tries, sentAt }: Flight, now: number, atOnce: boolean): void {
    this.#rate.accepted(sentAt, now);
    this.#accepted += 1;
    this.#lastAcceptedAt = now;
    // Twice as many in each round, as long as all goes well.
    this.#retryRoom += 1;
    this.#concurrency.accepted(tries, atOnce ? this.#accepted : null, now);
  }

  #setState(flight: Flight, state: "accepted" | "refused" | "over"): void {
    flight.state = state;
    if (flight.retry) this.#retrying -= 1;
  }
}

/** Milliseconds until one more than the limit is tried, and the longest between two tries. */
const FIRST_TRY_MS = 1_000;
const LONGEST_TRY_MS = 60_000;

/**
 * How many requests of one model's server run concurrently, if it limits that and not only their rate (fault 54). A refusal
 * while as many run as were ever seen to may be that limit. Then one more is tried from time to time: if it is let in the
 * limit was none, or is higher; if not, the next try waits twice as long.
 */
export class ConcurrencyLimit {
  #size = Number.POSITIVE_INFINITY;
  /** The most that were seen to run together; wears off, because servers change. */
  #most = 0;
  #isTrying = false;
  /** The last try was refused. */
  #isProved = false;
  #tryAt = 0;
  #waitMs = FIRST_TRY_MS;

  /** When one more may start while `running` do; infinite if only the end of another will tell. */
  opensAt(running: number): number {
    if (running < this.#size) return Number.NEGATIVE_INFINITY;
    return this.#isTrying ? Number.POSITIVE_INFINITY : this.#tryAt;
  }

  /** True if this one tries the limit. */
  sent(running: number): boolean {
    const tries = running >= this.#size;
    this.#isTrying ||= tries;
    return tries;
  }

  /** Let in; `running` of those that were let in run now, this one included, or null if the client does not tell. */
  accepted(tries: boolean, running: number | null, now: number): void {
    this.#most = Math.max(this.#most, running ?? 0);
    if (!tries) return;
    this.#isTrying = false;
    this.#tryAt = now;
    // If another one ended while this one was in flight, that proves nothing against a limit that was seen.
    const provesNothing = this.#isProved && running !== null && running <= this.#size;
    this.#isProved = false;
    if (provesNothing) return;
    this.#size = Math.max(this.#size * 2, running ?? 0);
    this.#waitMs = FIRST_TRY_MS;
  }

  /** A try was refused: the limit is one. */
  held(now: number): void {
    this.#isProved = true;
    this.#waitMs = Math.min(LONGEST_TRY_MS, this.#waitMs * 2);
    this.#tryAgain(now);
  }

  /** A try ended without an answer. */
  untold(tries: boolean, now: number): void {
    if (tries) this.#tryAgain(now);
  }

  /** Refused while `running` others ran. `isNews`: not of the same burst as the last one. */
  refused(running: number, isNews: boolean, now: number): void {
    if (running < this.#most) {
      // More have run before, so it was the rate.
      if (isNews) this.#most -= 1;
      return;
    }
    this.#waitMs = FIRST_TRY_MS;
    // If none was let in, nothing was learned of how many may run.
    this.#size = running === 0 ? Number.POSITIVE_INFINITY : Math.min(this.#size, running);
    this.#tryAgain(now);
  }

  /** An overloaded server is given half as many, whatever its limit. */
  halve(running: number, now: number): void {
    if (running > 0) this.#size = Math.min(this.#size, Math.ceil(running / 2));
    this.#waitMs = FIRST_TRY_MS;
    this.#tryAgain(now);
  }

  #tryAgain(now: number): void {
    this.#isTrying = false;
    this.#tryAt = now + this.#waitMs;
  }
}
