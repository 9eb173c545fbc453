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
