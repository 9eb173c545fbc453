import type { Clock } from "./clock.ts";

/** The restarts allowed within the period; after one more the part is given up (promise E of OTP's supervisors). */
export interface RestartIntensity {
  readonly max: number;
  /** Milliseconds. */
  readonly periodMs: number;
}

export const RESTART_INTENSITY: RestartIntensity = { max: 3, periodMs: 60_000 };

/** Counts the restarts of one permanent part of a session: the gateway's thread, the journal's, the process host. */
export class Restarts {
  readonly #clock: Pick<Clock, "now">;
  readonly #intensity: RestartIntensity;
  #at: number[] = [];

  constructor(clock: Pick<Clock, "now">, intensity: RestartIntensity = RESTART_INTENSITY) {
    this.#clock = clock;
    this.#intensity = intensity;
  }

  /** Returns true, and counts a restart, if it may be started again; false if it failed too often. */
  again(): boolean {
    const now = this.#clock.now();
    this.#at = this.#at.filter((at) => now - at < this.#intensity.periodMs);
    if (this.#at.length >= this.#intensity.max) return false;
    this.#at.push(now);
    return true;
  }
}
