import type { Clock } from "../../src/lib/clock.ts";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly call: () => void;
}

/** Time that passes only when told to. Timers fire in order of due time, then of their making. */
export class FakeClock implements Clock {
  private time = 0;
  private made = 0;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  date(): string {
    return new Date(Date.UTC(2030, 0, 1) + this.time).toISOString();
  }

  after(ms: number, call: () => void): () => void {
    const timer = { due: this.time + Math.max(0, ms), order: this.made++, call };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  get pending(): number {
    return this.timers.size;
  }

  /** Milliseconds until the next timer, or null. */
  get next(): number | null {
    const timer = this.first();
    return timer ? timer.due - this.time : null;
  }

  /** Lets time pass; whatever a timer sets off, promises included, happens before the next one fires. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settled();
    for (let timer = this.first(); timer && timer.due <= end; timer = this.first()) {
      this.timers.delete(timer);
      this.time = Math.max(this.time, timer.due);
      timer.call();
      await settled();
    }
    this.time = end;
  }

  /** Time was not looked at for so long, as when a machine sleeps: the next timer fires late. */
  async sleep(ms: number): Promise<void> {
    this.time += ms;
    await this.advance(0);
  }

  private first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers)
      if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
        first = timer;
    return first;
  }
}

/** All promises that can go on have gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
