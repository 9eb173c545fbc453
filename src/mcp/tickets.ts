import { type Clock, pause } from "../mailbox/clock.ts";
import type { Outcome } from "./protocol.ts";

export interface Ticket {
  readonly number: number;
  /** Settles with the broker's word, with the signal, or when the broker is given up. Never rejects. */
  readonly outcome: Promise<Outcome>;
}

interface Open {
  readonly settle: (outcome: Outcome) => void;
  readonly onProgress: (said: Progress) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** What has been asked of the broker and is not answered yet. */
export class Tickets {
  readonly #clock: Clock;
  readonly #open = new Map<number, Open>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `ms`: how long the broker itself may be silent before it is the one that hangs. */
  take(
    ms: number,
    signal: AbortSignal,
    {
      cancel,
      onProgress = () => {},
    }: { cancel(ticket: number): void; onProgress?: Open["onProgress"] | undefined },
  ): Ticket {
    const number = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const settled = new AbortController();
    const settle = (outcome: Outcome) => {
      this.#open.delete(number);
      signal.removeEventListener("abort", stop);
      settled.abort();
      resolve(outcome);
    };
    const give = (message: string) => {
      cancel(number);
      settle({ type: "failed", message });
    };
    const stop = () => give("The call was cancelled.");
    this.#open.set(number, { settle, onProgress });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    void pause(this.#clock, ms, settled.signal).then(() => {
      if (!settled.signal.aborted) give(`The MCP broker did not answer within ${Math.round(ms / 1_000)} s.`);
    });
    return { number, outcome: promise };
  }

  /** A late outcome is dropped: somebody has been told another one. */
  settle(ticket: number, outcome: Outcome): void {
    this.#open.get(ticket)?.settle(outcome);
  }

  progress(ticket: number, said: Progress): void {
    this.#open.get(ticket)?.onProgress(said);
  }

  settleAll(outcome: Outcome): void {
    for (const { settle } of [...this.#open.values()]) settle(outcome);
  }
}
