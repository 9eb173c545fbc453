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
