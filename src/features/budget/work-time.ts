import type { Clock } from "../../lib/clock.ts";

/** A clock that stands still while a model is paused: an agent's deadline is about its work, not about the wait for a limit. */
export class WorkTime implements Pick<Clock, "now"> {
  readonly #clock: Pick<Clock, "now">;
  /** The last pause, and milliseconds of those before it. */
  #from = 0;
  #to = 0;
  #before = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  now(): number {
    const now = this.#clock.now();
    return now - this.#before - (Math.min(now, this.#to) - this.#from);
  }

  /** It stands still for the next `ms`, or until `go`. */
  stop(ms: number): void {
    const now = this.#clock.now();
    if (now > this.#to) {
      this.#before += this.#to - this.#from;
      this.#from = now;
    }
    this.#to = Math.max(this.#to, now + ms);
  }

  go(): void {
    this.#to = Math.min(this.#to, this.#clock.now());
  }
}
