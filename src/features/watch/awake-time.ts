/** A gap between two looks that is so many periods long was no busy moment: the machine slept, or was stopped. */
const ASLEEP_PERIODS = 5;

interface Sleep {
  readonly from: number;
  readonly to: number;
}

/**
 * Time as it counts against somebody: without what the machine slept through (fault 27). Nothing could move then,
 * so nobody is to blame for it. Some systems' monotonic clocks stand still in a sleep, others do not; this holds
 * for both.
 */
export class AwakeTime {
  readonly #periodMs: number;
  #now: number;
  /** In their order. One for each time a laptop was closed: there are never many. */
  #sleeps: Sleep[] = [];

  constructor(periodMs: number, now: number) {
    this.#periodMs = periodMs;
    this.#now = now;
  }

  /** To be called once a period. Milliseconds that were slept since the last time. */
  look(now: number): number {
    const slept = now - this.#now > ASLEEP_PERIODS * this.#periodMs;
    const from = slept ? this.#now + this.#periodMs : now;
    if (slept) this.#sleeps.push({ from, to: now });
    this.#now = now;
    return now - from;
  }

  /** Nobody looked for a while, because there was nothing to look at: that was no sleep. */
  skipTo(now: number): void {
    this.#now = now;
  }

  /** Milliseconds from `at` to the last look that this machine was awake. */
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
