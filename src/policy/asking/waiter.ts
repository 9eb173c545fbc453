import type { Asking, Denied } from "./questions.ts";

/** A call that waits, whatever it asked. */
export interface Waiting {
  readonly asking: Asking;
  readonly isOpen: boolean;
  /** False: it had its answer already. */
  end(denied: Denied): boolean;
}

/** One call that waits for an answer. It gets exactly one, whatever comes and in whatever order. */
export class Waiter<Outcome extends object, Question extends Asking = Asking> implements Waiting {
  readonly asking: Question;
  readonly outcome: Promise<Outcome | Denied>;
  readonly #settle: (outcome: Outcome | Denied) => void;
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  #isOpen = true;

  /** `onEnd` is called once, when it has its answer. */
  constructor(asking: Question, signal: AbortSignal, onEnd: () => void) {
    const { promise, resolve } = Promise.withResolvers<Outcome | Denied>();
    this.asking = asking;
    this.outcome = promise;
    this.#settle = resolve;
    this.#signal = signal;
    this.#onEnd = onEnd;
    signal.addEventListener("abort", this.#cancel, { once: true });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** False: it had its answer already, and this one is nobody's. */
  end(outcome: Outcome | Denied): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#signal.removeEventListener("abort", this.#cancel);
    this.#settle(outcome);
    this.#onEnd();
    return true;
  }

  readonly #cancel = (): void => {
    this.end(stopped);
  };
}

export const stopped: Denied = {
  type: "deny",
  by: "agent",
  reason: "The agent was stopped before there was an answer.",
};
