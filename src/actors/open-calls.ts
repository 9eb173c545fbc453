import type { CallResult, OpenTurn } from "../mailbox/messages.ts";
import type { Stage } from "../tools/dispatch.ts";

/** The running calls of one reply: their results, and the state of those without one. */
export class OpenCalls {
  readonly #results = new Map<number, CallResult>();
  readonly #stages = new Map<number, Stage>();
  #onSettled = () => {};

  /** `known`: results from before this thread. */
  constructor(known: OpenTurn["results"] = []) {
    for (const { index, result } of known) this.#results.set(index, result);
  }

  known(index: number): CallResult | undefined {
    return this.#results.get(index);
  }

  stands(index: number, stage: Stage): void {
    this.#stages.set(index, stage);
  }

  settle(index: number, result: CallResult): void {
    this.#stages.delete(index);
    this.#results.set(index, result);
    this.#onSettled();
  }

  onSettled(call: () => void): void {
    this.#onSettled = call;
  }

  get results(): OpenTurn["results"] {
    return [...this.#results].map(([index, result]) => ({ index, result }));
  }

  /**
   * True if nothing runs in this thread. A call that waits for permission must run as soon as it is allowed, so next
   * to other calls it keeps the thread: they may wait for much longer.
   */
  get onlyWait(): boolean {
    const stages = [...this.#stages.values()];
    if (stages.length === 0 || stages.includes("here")) return false;
    return !stages.includes("asked") || stages.length === 1;
  }
}
