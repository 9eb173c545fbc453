/** What is kept of the rate at which a server refused. */
const KEPT = 0.85;
/** Below the rate of the last refusal it rises by this part of it a second. */
const STEP = 0.0125;
/** Beyond that rate, or while it is only a guess, it doubles in this time (seconds). */
const DOUBLING_S = 3;
const BEYOND = 1.15;
/** Requests a second, below which it never goes; an overloaded server is not one of a lower rate. */
const LEAST = 0.5;
const LEAST_OVERLOADED = 2;
/** What was let in during these milliseconds before the first refusal is the first guess. */
const GUESS_MS = 1000;
/** Milliseconds by which timers are late on a busy machine. */
const LATE_MS = 20;

/** `limited`: too many requests (429). `overloaded`: nothing to do with our rate (529), but less would help. */
export type Refusal = "limited" | "overloaded";

const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * How many requests a second one model's server takes, learned from its refusals. Unlimited until the first. A refusal cuts
 * the rate; sending raises it, additively up to where it was refused, faster beyond, as the limit seems to be gone.
 */
export class SendRate {
  readonly #random: () => number;
  #rate = UNLIMITED;
  /** Where it was refused. */
  #ceiling = UNLIMITED;
  #isGuess = true;
  #nextAt = Number.NEGATIVE_INFINITY;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** Answers that let a request in, since then or in the last second before the first refusal. */
  #letIn = 0;
  /** A request that was sent since then was let in. */
  #isProved = false;
  #countedFrom = Number.NEGATIVE_INFINITY;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** When the next one may be sent. */
  get opensAt(): number {
    return this.#nextAt;
  }

  sent(now: number): void {
    if (this.#rate === UNLIMITED) return;
    const gap = 1000 / this.#rate;
    // A late timer is made up for; a moment in which no request waited is not.
    const inLine = now - this.#nextAt <= Math.max(gap / 2, LATE_MS);
    // A rate that was not used, or at which nothing was let in, says nothing.
    if (inLine && this.#isProved) this.#grow(gap / 1000);
    this.#nextAt = (inLine ? this.#nextAt : now) + this.#jittered(gap);
  }

  accepted(sentAt: number, now: number): void {
    if (sentAt > this.#refusedAt) this.#isProved = true;
    if (this.#rate === UNLIMITED && now - this.#countedFrom > GUESS_MS) {
      this.#countedFrom = now;
      this.#letIn = 0;
    }
    this.#letIn += 1;
  }

  /**
   * True if the refusal counts; false if its request was sent before the last one that did: a refused burst is one event.
   */
  refused(kind: Refusal, sentAt: number, now: number): boolean {
    if (sentAt <= this.#refusedAt) return false;
    const measured = (this.#letIn * 1000) / Math.max(GUESS_MS, now - this.#countedFrom);
    if (kind === "overloaded") this.#shed(Math.max(LEAST_OVERLOADED, measured));
    else if (this.#rate === UNLIMITED) this.#cut(Math.max(1, measured), true);
    else if (!this.#isProved) this.#cut(this.#rate / 2 / KEPT, true);
    // Less than the limit was let in, as requests did not always wait; the rate was above it.
    else this.#cut(Math.min(this.#rate, (measured + this.#rate) / 2), false);
    this.#refusedAt = now;
    this.#countedFrom = now;
    this.#letIn = 0;
    this.#isProved = false;
    this.#nextAt = now + this.#jittered(1000 / this.#rate);
    return true;
  }

  #cut(ceiling: number, isGuess: boolean): void {
    this.#ceiling = ceiling;
    this.#isGuess = isGuess;
    this.#rate = Math.max(LEAST, KEPT * ceiling);
  }

  /** What an overloaded server let in says nothing of a limit: less is sent, and soon as much again. */
  #shed(measured: number): void {
    const rate = Math.min(this.#rate, measured);
    this.#ceiling = rate;
    this.#isGuess = true;
    this.#rate = Math.max(rate / 2, Math.min(rate, LEAST_OVERLOADED));
  }

  #grow(seconds: number): void {
    const isFast = this.#isGuess || this.#rate > BEYOND * this.#ceiling;
    this.#rate = isFast
      ? this.#rate * 2 ** (seconds / DOUBLING_S)
      : this.#rate + STEP * this.#ceiling * seconds;
  }

  /** Half as much spread as gap, around it: clients that share the server do not fall into step. */
  #jittered(gap: number): number {
    return gap * (0.75 + this.#random() / 2);
  }
}
