import type { RateLimit } from "./rate-limits.ts";

/** Nobody is held back longer on the word of a header; a refusal says more exactly how long to wait. */
const LONGEST_MS = 60_000;
/** Weight of the newest request in what one costs. */
const NEWEST = 0.3;

/**
 * One limit of a server, followed between its answers: a bucket that empties with each request that is sent
 * and fills at the rate that its last answer implied. Until the first answer it holds back nobody.
 */
export class Quota {
  #level = Number.POSITIVE_INFINITY;
  #limit = Number.POSITIVE_INFINITY;
  /** Per millisecond; infinite while unknown. */
  #refill = Number.POSITIVE_INFINITY;
  #at = 0;
  #cost: number;

  /** `cost`: what one request takes of it, as far as is known before the first reply. */
  constructor(cost: number) {
    this.#cost = cost;
  }

  /** What the server said. `unanswered` requests are on their way, so it may not have counted them. */
  told({ limit, remaining, resetMs }: RateLimit, unanswered: number, now: number): void {
    this.#limit = limit;
    this.#level = remaining - unanswered * this.#cost;
    this.#at = now;
    // A full bucket tells nothing of how fast it fills: what was known stays.
    if (remaining < limit) this.#refill = resetMs ? (limit - remaining) / resetMs : Number.POSITIVE_INFINITY;
  }

  sent(now: number): void {
    this.#level = this.#now(now) - this.#cost;
    this.#at = now;
  }

  /** What a request really took. */
  cost(used: number): void {
    this.#cost = this.#cost === 0 ? used : this.#cost + NEWEST * (used - this.#cost);
  }

  /** When it has room for one more: `now` or later. */
  opensAt(now: number): number {
    // What is larger than the whole bucket is let go when the bucket is full.
    const missing = Math.min(this.#cost, this.#limit) - this.#now(now);
    return missing <= 0 ? now : now + Math.min(LONGEST_MS, missing / this.#refill);
  }

  /** Requests a second that it lets through for ever; infinite while unknown. */
  get perSecond(): number {
    return this.#cost > 0 ? (this.#refill * 1000) / this.#cost : Number.POSITIVE_INFINITY;
  }

  #now(now: number): number {
    // Unknown refill is no refill counted, and none missed: `opensAt` then waits for nothing.
    const filled = Number.isFinite(this.#refill) ? this.#refill * (now - this.#at) : 0;
    return Math.min(this.#limit, this.#level + filled);
  }
}
