/** What is kept of the rate at which a server refused, as in the congestion control that the shape below is from. */
const KEPT = 0.85;
/** Seconds of sending in which the rate is back where it was refused (RFC 9438 calls it K). */
const BACK_S = 15;
/** Before a second refusal told where the limit is, the rate doubles in so many seconds of sending. */
const DOUBLING_S = 3;
/** Requests a second, below which it never goes; an overloaded server is not one of a lower rate. */
const LEAST = 0.5;
const LEAST_OVERLOADED = 2;
/** What was sent in these milliseconds before the first refusal is the first guess. */
const GUESS_MS = 1000;
/** Timers are late by so much on a busy machine. */
const LATE_MS = 20;

/** `limited`: too many requests (429). `overloaded`: nothing to do with our rate (529), but less would help. */
export type Refusal = "limited" | "overloaded";

/** From one refusal to the next: what was sent tells what the server lets through. */
interface Epoch {
  readonly from: number;
  readonly to: number;
  readonly sent: number;
  readonly rateBefore: number;
  readonly ceilingBefore: number;
  refused: number;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * How many requests a second one model's server takes, learned from its refusals (demand D6). Unlimited
 * until the first. A refusal cuts the rate to what was measured since the one before, at most to the half;
 * then it rises to where it was refused, lingers there, and tries for more ever faster (the cubic curve of
 * RFC 9438). Only sending raises it, once something was let in: a rate that nobody used says nothing.
 */
export class SendRate {
  readonly #random: () => number;
  #rate = UNLIMITED;
  #start = UNLIMITED;
  /** Where it was refused. */
  #ceiling = UNLIMITED;
  #ceilingIsGuess = true;
  /** Whether anything was let in since the last refusal, and seconds of sending since. */
  #letIn = false;
  #grownS = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  /** When the last refusal came that was news, and how many were sent since. */
  #refusedAt = Number.NEGATIVE_INFINITY;
  #sent = 0;
  /** While nothing is known: when the last ones were sent. */
  #recent: number[] = [];
  #closed: Epoch | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  get perSecond(): number {
    return this.#rate;
  }

  /** When the next one may be sent. */
  get opensAt(): number {
    return this.#nextAt;
  }

  sent(now: number): void {
    if (this.#rate === UNLIMITED) {
      while (this.#recent.length > 0 && (this.#recent[0] ?? now) < now - GUESS_MS) this.#recent.shift();
      this.#recent.push(now);
      return;
    }
    this.#sent += 1;
    const gap = 1000 / this.#rate;
    // A late timer is made up for; a pause, or a moment in which nobody asked, is not.
    const inLine = now - this.#nextAt <= Math.max(gap / 2, LATE_MS);
    if (inLine && this.#letIn) this.#grow(gap / 1000);
    this.#nextAt = (inLine ? this.#nextAt : now) + this.#jittered(gap);
  }

  accepted(sentAt: number): void {
    if (sentAt > this.#refusedAt) this.#letIn = true;
  }

  /**
   * One was refused. True where that is news, false where it was sent before the last refusal that was: a
   * burst that is refused is one event. `told`: what the server's headers say it lets through, a second.
   */
  refused(kind: Refusal, sentAt: number, now: number, told = UNLIMITED): boolean {
    if (sentAt <= this.#refusedAt) {
      if (this.#closed && kind === "limited" && sentAt >= this.#closed.from) {
        this.#closed.refused += 1;
        this.#settle(this.#closed, told, now);
      }
      return false;
    }
    const epoch = this.#epoch(now);
    this.#refusedAt = now;
    this.#sent = 0;
    this.#recent = [];
    this.#closed = kind === "limited" ? epoch : undefined;
    if (kind === "limited") this.#settle(epoch, told, now);
    else this.#shed(epoch, now);
    return true;
  }

  #epoch(now: number): Epoch {
    const from = this.#rate === UNLIMITED ? now - GUESS_MS : this.#refusedAt;
    const sent = this.#rate === UNLIMITED ? this.#recent.filter((at) => at >= from).length : this.#sent;
    return { from, to: now, sent, refused: 1, rateBefore: this.#rate, ceilingBefore: this.#ceiling };
  }

  /** Called again for each refusal of the same burst, which makes the measure more exact. */
  #settle({ from, to, sent, refused, rateBefore }: Epoch, told: number, now: number): void {
    const admitted = Math.max(0, sent - refused);
    const measured = (admitted * 1000) / Math.max(1, to - from);
    if (rateBefore === UNLIMITED) {
      // One a second where nothing at all came through: the next refusal, or none, tells more.
      this.#ceilingIsGuess = told === UNLIMITED;
      this.#ceiling = this.#ceilingIsGuess ? Math.max(1, measured) : told;
      this.#restart(KEPT * this.#ceiling, now);
    } else if (admitted === 0) {
      // Nothing at all comes through any more: what was known is worth nothing.
      this.#ceiling = rateBefore / 2;
      this.#ceilingIsGuess = true;
      this.#restart(rateBefore / 2, now);
    } else {
      // What came through is less than the limit (nothing was sent in pauses), what was refused is more.
      this.#ceiling = Math.min(told, rateBefore, (measured + rateBefore) / 2);
      this.#ceilingIsGuess = false;
      this.#restart(KEPT * this.#ceiling, now);
    }
  }

  /** What an overloaded server let through says nothing of a limit: less is sent, and soon as much again. */
  #shed({ sent, rateBefore, ceilingBefore }: Epoch, now: number): void {
    const rate = Math.min(rateBefore, Math.max(LEAST_OVERLOADED, (sent * 1000) / GUESS_MS));
    this.#ceiling = rateBefore === UNLIMITED ? rate : ceilingBefore;
    this.#restart(Math.max(rate / 2, Math.min(rate, LEAST_OVERLOADED)), now);
  }

  #restart(rate: number, now: number): void {
    this.#start = Math.max(LEAST, rate);
    this.#ceiling = Math.max(this.#ceiling, this.#start / KEPT);
    this.#rate = this.#start;
    this.#grownS = 0;
    this.#letIn = false;
    this.#nextAt = now + this.#jittered(1000 / this.#rate);
  }

  #grow(seconds: number): void {
    this.#grownS += seconds;
    const t = this.#grownS;
    const cubic = this.#ceiling + (this.#ceiling - this.#start) * ((t - BACK_S) / BACK_S) ** 3;
    const doubling = this.#ceilingIsGuess ? this.#start * 2 ** (t / DOUBLING_S) : 0;
    this.#rate = Math.max(cubic, doubling);
  }

  /** Half as much spread as gap, around it: whoever shares the server does not fall into step. */
  #jittered(gap: number): number {
    return gap * (0.75 + this.#random() / 2);
  }
}
