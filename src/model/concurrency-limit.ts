/** Milliseconds until a limit that may be none is tried for the first time, and the longest between two tries. */
const FIRST_TRY_MS = 1_000;
const LONGEST_TRY_MS = 60_000;

/**
 * How many requests of one model's server run at once, where it limits that and not only their rate (fault
 * 54). When one is refused while as many run as were ever seen to run together, that may be the limit: one
 * more is tried a second later. If it is let in there was no such limit, or a higher one; if not, it is tried
 * ever more rarely, so that knowing the limit costs a refusal a minute.
 */
export class ConcurrencyLimit {
  #size = Number.POSITIVE_INFINITY;
  /** The most that were seen to run together; wears off, because servers change. */
  #most = 0;
  /** The fewest that still ran at a refusal of this burst. */
  #fewest = Number.POSITIVE_INFINITY;
  #trying = false;
  /** The last try was refused. */
  #proved = false;
  #tryAt = 0;
  #waitMs = FIRST_TRY_MS;

  get size(): number {
    return this.#size;
  }

  /** When one more may start beside `running`; infinite where only the end of another will tell. */
  opensAt(running: number): number {
    if (running < this.#size) return Number.NEGATIVE_INFINITY;
    return this.#trying ? Number.POSITIVE_INFINITY : this.#tryAt;
  }

  /** True where this one tries the limit. */
  sent(running: number): boolean {
    const tries = running >= this.#size;
    if (tries) this.#trying = true;
    return tries;
  }

  /**
   * Let in; `running` of those that were let in run now, this one included. Null where the client does not
   * tell when they are: then a try that was let in is believed to have run beside all others.
   */
  accepted(tries: boolean, running: number | null, now: number): void {
    this.#most = Math.max(this.#most, running ?? 0);
    if (!tries) return;
    this.#trying = false;
    this.#tryAt = now;
    // Another one may have ended while this one was on its way: against a limit that was proved, that proves nothing.
    if (running !== null && running <= this.#size && this.#proved) {
      this.#proved = false;
      return;
    }
    this.#size = Math.max(this.#size * 2, running ?? 0);
    this.#proved = false;
    this.#waitMs = FIRST_TRY_MS;
  }

  /** Ended without an answer. */
  untold(tries: boolean, now: number): void {
    if (!tries) return;
    this.#trying = false;
    this.#tryAt = now + this.#waitMs;
  }

  /** A try was refused: the limit is one. */
  held(now: number): void {
    this.#trying = false;
    this.#proved = true;
    this.#waitMs = Math.min(LONGEST_TRY_MS, this.#waitMs * 2);
    this.#tryAt = now + this.#waitMs;
  }

  /** Refused for whatever reason, while `running` others ran. `news`: not of the same burst as the last one. */
  refused(running: number, news: boolean, now: number): void {
    if (news) this.#fewest = Number.POSITIVE_INFINITY;
    if (running < this.#most) {
      // More have run before, so it was the rate.
      if (news) this.#most -= 1;
      return;
    }
    this.#fewest = Math.min(this.#fewest, running);
    // Where none was let in, nothing was learned of how many may run.
    if (this.#fewest === 0) this.#size = Number.POSITIVE_INFINITY;
    else this.#shrink(this.#fewest);
    this.#waitMs = FIRST_TRY_MS;
    this.#tryAt = now + FIRST_TRY_MS;
  }

  /** An overloaded server is given half as many, whatever its limit. */
  halve(running: number, now: number): void {
    if (running > 0) this.#shrink(Math.ceil(running / 2));
    this.#waitMs = FIRST_TRY_MS;
    this.#tryAt = now + FIRST_TRY_MS;
  }

  #shrink(size: number): void {
    this.#size = Math.min(this.#size, Math.max(1, size));
  }
}
