import type { UserAnswer, UserRequest } from "../asks.ts";
import type { Asking, Denied } from "./questions.ts";
import type { Standing } from "./user-request-queue.ts";
import { Waiter } from "./waiter.ts";

/** Something only one call asks, and no rule decides: a question of the model's, or its plan. */
export class SingleEntry<Outcome extends object> implements Standing {
  readonly waiters: readonly Waiter<Outcome>[];
  readonly outcome: Promise<Outcome | Denied>;
  readonly #ask: UserRequest;
  readonly #outcomeOf: (answer: UserAnswer) => Outcome | Denied;

  constructor(
    {
      asking,
      ask,
      signal,
    }: { readonly asking: Asking; readonly ask: UserRequest; readonly signal: AbortSignal },
    outcomeOf: (answer: UserAnswer) => Outcome | Denied,
    onEnd: (entry: SingleEntry<Outcome>) => void,
  ) {
    const waiter = new Waiter<Outcome>(asking, signal, () => onEnd(this));
    this.waiters = [waiter];
    this.outcome = waiter.outcome;
    this.#ask = ask;
    this.#outcomeOf = outcomeOf;
  }

  put(): UserRequest {
    return this.#ask;
  }

  take(answer: UserAnswer): void {
    const outcome = this.#outcomeOf(answer);
    for (const waiter of this.waiters) waiter.end(outcome);
  }

  async review(): Promise<void> {}
}
