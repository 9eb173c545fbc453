import type { Ask, AskAnswer } from "../asks.ts";
import type { Standing } from "./line.ts";
import type { Asking, Denied } from "./questions.ts";
import { Waiter } from "./waiter.ts";

/** Something only one call asks, and no rule decides: a question of the model's, or its plan. */
export class SingleEntry<Outcome extends object> implements Standing {
  readonly waiters: readonly Waiter<Outcome>[];
  readonly outcome: Promise<Outcome | Denied>;
  readonly #ask: Ask;
  readonly #outcomeOf: (answer: AskAnswer) => Outcome | Denied;

  constructor(
    { asking, ask, signal }: { readonly asking: Asking; readonly ask: Ask; readonly signal: AbortSignal },
    outcomeOf: (answer: AskAnswer) => Outcome | Denied,
    onEnd: (entry: SingleEntry<Outcome>) => void,
  ) {
    const waiter = new Waiter<Outcome>(asking, signal, () => onEnd(this));
    this.waiters = [waiter];
    this.outcome = waiter.outcome;
    this.#ask = ask;
    this.#outcomeOf = outcomeOf;
  }

  put(): Ask {
    return this.#ask;
  }

  take(answer: AskAnswer): void {
    const outcome = this.#outcomeOf(answer);
    for (const waiter of this.waiters) waiter.end(outcome);
  }

  async review(): Promise<void> {}
}
