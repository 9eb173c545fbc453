import { errorMessage } from "../../lib/errors.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { UserAnswer, UserHandler, UserRequest } from "../asks.ts";
import { readAnswer } from "./answer.ts";
import { nobody } from "./outcomes.ts";
import type { Denied } from "./questions.ts";
import type { Waiting } from "./waiter.ts";

/** One thing to ask, for all who wait for its answer. */
export interface Standing {
  readonly waiters: readonly Waiting[];
  /** As it is put to the person, with those who still wait. */
  put(): UserRequest;
  /** Gives all who still wait their answer. */
  take(answer: UserAnswer): void;
  /** Whether it is still a question; answers those for whom it is none any more. Never rejects. */
  review(): Promise<void>;
}

export interface LineOptions {
  readonly person: UserHandler;
  /** Milliseconds a question waits for an answer once it is shown; no end where absent. */
  readonly patience?: { readonly clock: Clock; readonly ms: number };
  /** A person answered what was no question any more; nothing came of it. Must not throw. */
  onLate(ask: UserRequest, answer: UserAnswer): void;
}

/** What waits to be asked, in order; one ask at a time reaches the person. */
export class UserRequestQueue {
  readonly #options: LineOptions;
  readonly #queue: Standing[] = [];
  /** Aborted when nobody waits any more for the answer to what is shown. */
  #over: { readonly entry: Standing; readonly control: AbortController } | null = null;
  #isRunning = false;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Those that still wait, in order, the one that is shown included. */
  get entries(): readonly Standing[] {
    return this.#queue.filter(isOpen);
  }

  add(entry: Standing): void {
    this.#queue.push(entry);
    void this.#run();
  }

  /** Rules or the mode have changed: what they decide now is no question any more. */
  lookAgain(): Promise<unknown> {
    this.#looking = this.#looking.then(() => Promise.all(this.entries.map((entry) => entry.review())));
    return this.#looking;
  }

  /** To be called when one who waited for this entry has an answer. */
  ended(entry: Standing): void {
    if (isOpen(entry)) return;
    const at = this.#queue.indexOf(entry);
    if (at >= 0) this.#queue.splice(at, 1);
    if (this.#over?.entry === entry) this.#over.control.abort();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // What is asked in the same breath is merged before it is shown.
    await Promise.resolve();
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      await this.#looked();
      await next.review();
      if (isOpen(next)) await this.#show(next);
    }
    this.#isRunning = false;
  }

  async #looked(): Promise<void> {
    for (let seen: unknown = null; seen !== this.#looking; ) {
      seen = this.#looking;
      await seen;
    }
  }

  async #show(entry: Standing): Promise<void> {
    const control = new AbortController();
    this.#over = { entry, control };
    const gone = new Promise<null>((resolve) => {
      control.signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    const ask = entry.put();
    const answered = answerOf(this.#options.person, ask, control.signal);
    const withdraw = this.#bePatient(entry);
    const answer = await Promise.race([answered, gone]);
    withdraw();
    this.#over = null;
    if (answer !== null && isOpen(entry)) {
      take(entry, answer);
      // A rule for the session, another mode: what waits behind may be no question any more.
      void this.lookAgain();
      return;
    }
    void answered.then((late) => {
      // Who is told that it is over and says so has not answered.
      if (late.type !== "nobody") this.#options.onLate(ask, late);
    });
  }

  #bePatient(entry: Standing): () => void {
    const { patience } = this.#options;
    if (!patience) return () => {};
    const { clock, ms } = patience;
    return clock.after(ms, () => deny(entry, nobody(`Nobody answered within ${Math.round(ms / 1000)} s.`)));
  }
}

function isOpen({ waiters }: Standing): boolean {
  return waiters.some((waiter) => waiter.isOpen);
}

function deny({ waiters }: Standing, denied: Denied): void {
  for (const waiter of waiters) waiter.end(denied);
}

/** Whatever an answer sets off, nobody is left without one. */
function take(entry: Standing, answer: UserAnswer): void {
  try {
    entry.take(answer);
  } catch (error) {
    deny(entry, nobody(`The answer could not be carried out (${errorMessage(error)}), so it counts as no.`));
  }
}

async function answerOf(person: UserHandler, ask: UserRequest, signal: AbortSignal): Promise<UserAnswer> {
  try {
    return readAnswer(await person.ask(ask, signal));
  } catch (error) {
    return { type: "nobody", reason: `The question could not be answered (${errorMessage(error)}).` };
  }
}
