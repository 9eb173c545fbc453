import type { Clock } from "../lib/clock.ts";
import type { ModelFailure, ModelOutcome } from "./client.ts";

/** What one request has waited since its first failure, and what it says when that was too long. */
export class RetryBudget {
  private readonly clock: Clock;
  private readonly allMs: number;
  private spentMs = 0;
  private lastFailure: ModelFailure | undefined;

  constructor(clock: Clock, allMs: number) {
    this.clock = clock;
    this.allMs = allMs;
  }

  /** What it failed with last. */
  get last(): ModelFailure | undefined {
    return this.lastFailure;
  }

  left(): number {
    return Math.max(0, this.allMs - this.spentMs);
  }

  spend(ms: number): void {
    this.spentMs += ms;
  }

  /** The first attempt costs nothing, it is the work itself; unless it was waiting for nothing. */
  async during(attempt: Promise<ModelOutcome>): Promise<ModelOutcome> {
    const from = this.clock.now();
    const outcome = await attempt;
    const silent = outcome.type === "failure" && outcome.failure.kind === "stalled";
    if (this.last || silent) this.spend(this.clock.now() - from);
    return outcome;
  }

  failed(failure: ModelFailure): void {
    this.lastFailure = failure;
  }

  givenUp(tries: number): ModelOutcome {
    if (!this.last) {
      const message =
        "The model server asked everyone to wait longer than this request may wait; try again later.";
      return { type: "failure", failure: { kind: "rate_limit", message } };
    }
    const asked = this.last.retryAfterMs;
    const wait = asked === undefined ? "" : ` It asks to wait ${seconds(asked)} before the next try.`;
    const tried = tries > 1 ? ` Gave up after ${tries} attempts in ${seconds(this.spentMs)}.` : "";
    return { type: "failure", failure: { ...this.last, message: this.last.message + tried + wait } };
  }
}

const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`;
