import { errorMessage } from "../../lib/errors.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { UserAnswer, UserHandler, UserRequest } from "../user-requests.ts";
import { type Denied, nobody, type QuestionContext, readAnswer } from "./questions.ts";

/** What the queue needs of a request. */
type Queued = Pick<QueuedRequest, "isOpen" | "build" | "take" | "review" | "deny">;

export interface QueueOptions {
  readonly person: UserHandler;
  /**
   * Shows a request elsewhere, too, until the returned function is called: with the answer, or null without one.
   * `answer` gets what is answered there.
   */
  readonly post?: (
    ask: UserRequest,
    answer: (answer: UserAnswer) => void,
  ) => (answer: UserAnswer | null) => void;
  /** Receives an answer to what was no longer a question; it had no effect. Must not throw. */
  onLate(ask: UserRequest, answer: UserAnswer): void;
}

/** Requests that wait for the user, in order; one at a time is shown. */
export class UserRequestQueue {
  readonly #options: QueueOptions;
  readonly #queue: Queued[] = [];
  /** The request on screen; aborted when no call waits for it. */
  #shown: { readonly request: Queued; readonly control: AbortController } | null = null;
  readonly #posted = new Map<Queued, (answer: UserAnswer | null) => void>();
  /** The answer that is carried out. */
  #answer: { readonly request: Queued; readonly answer: UserAnswer } | null = null;
  #isRunning = false;
  #reviewed: Promise<unknown> = Promise.resolve();

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** The open requests in order, with the one on screen. */
  get open(): readonly Queued[] {
    return this.#queue.filter(({ isOpen }) => isOpen);
  }

  add(request: Queued): void {
    this.#queue.push(request);
    void this.#run();
    // Requests of the same tick are merged before.
    queueMicrotask(() => this.#post(request));
  }

  /** Another call waits for its answer as well. */
  update(request: Queued): void {
    if (this.#posted.has(request)) this.#post(request);
  }

  #post(request: Queued): void {
    const { post } = this.#options;
    if (post === undefined || !request.isOpen) return;
    const withdraw = post(request.build(), (answer) => {
      if (request.isOpen) this.#carryOut(request, answer);
    });
    this.#posted.set(request, withdraw);
  }

  /** Ends what the rules or the mode now decide without a question. */
  review(): Promise<unknown> {
    this.#reviewed = this.#reviewed.then(() => Promise.all(this.open.map((request) => request.review())));
    return this.#reviewed;
  }

  /** Removes a request if no call waits for it. */
  remove(request: Queued): void {
    if (request.isOpen) return;
    this.#posted.get(request)?.(this.#answer?.request === request ? this.#answer.answer : null);
    this.#posted.delete(request);
    const at = this.#queue.indexOf(request);
    if (at >= 0) this.#queue.splice(at, 1);
    if (this.#shown?.request === request) this.#shown.control.abort();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Requests of the same tick are merged before one is shown.
    await Promise.resolve();
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      for (let seen: unknown = null; seen !== this.#reviewed; ) {
        seen = this.#reviewed;
        await seen;
      }
      await next.review();
      if (next.isOpen) await this.#show(next);
    }
    this.#isRunning = false;
  }

  async #show(request: Queued): Promise<void> {
    const control = new AbortController();
    this.#shown = { request, control };
    const gone = new Promise<null>((resolve) => {
      control.signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    const waiting = this.open.length - 1;
    const ask = { ...request.build(), ...(waiting > 0 ? { waiting } : {}) };
    const answered = askUser(this.#options.person, ask, control.signal);
    const answer = await Promise.race([answered, gone]);
    this.#shown = null;
    if (answer !== null && request.isOpen) {
      this.#carryOut(request, answer);
      return;
    }
    void answered.then((late) => {
      // A handler that reports its own abort has not answered.
      if (late.type !== "unavailable") this.#options.onLate(ask, late);
    });
  }

  #carryOut(request: Queued, answer: UserAnswer): void {
    this.#answer = answer.type === "unavailable" ? null : { request, answer };
    carryOut(request, answer);
    this.#answer = null;
    // A rule for the session or another mode can answer later requests.
    void this.review();
  }
}

/** Applies an answer; each call gets an outcome even if that throws. */
function carryOut(request: Queued, answer: UserAnswer): void {
  try {
    request.take(answer);
  } catch (error) {
    request.deny(nobody(`The answer could not be carried out (${errorMessage(error)}), so it counts as no.`));
  }
}

async function askUser(person: UserHandler, ask: UserRequest, signal: AbortSignal): Promise<UserAnswer> {
  try {
    return readAnswer(await person.ask(ask, signal));
  } catch (error) {
    return { type: "unavailable", reason: `The question could not be answered (${errorMessage(error)}).` };
  }
}

export interface RequestPorts<Outcome extends object, Question extends QuestionContext> {
  /** Builds what the user sees from the questions that still wait. */
  build(questions: readonly [Question, ...Question[]]): UserRequest;
  /** Applies an answer, once for all waiting callers. */
  take(answer: UserAnswer, first: Question): Outcome | Denied;
  /** Called for each question before its caller has the outcome. */
  onOutcome?(question: Question, outcome: Outcome | Denied): void;
  /** Returns the outcome of what is no longer a question, or null. Never rejects. */
  review?(question: Question): Promise<Outcome | Denied | null>;
  /** Called whenever a caller has its outcome. */
  onEnd(): void;
}

interface Waiter<Outcome extends object, Question extends QuestionContext> {
  readonly question: Question;
  end(outcome: Outcome | Denied): void;
}

/** One request to the user, for all calls that wait for its answer. Each gets exactly one. */
export class QueuedRequest<
  Outcome extends object = object,
  Question extends QuestionContext = QuestionContext,
> {
  readonly #ports: RequestPorts<Outcome, Question>;
  readonly #waiters = new Set<Waiter<Outcome, Question>>();

  constructor(ports: RequestPorts<Outcome, Question>) {
    this.#ports = ports;
  }

  /** True while a call waits. */
  get isOpen(): boolean {
    return this.#waiters.size > 0;
  }

  isAskedBy(actor: ActorId): boolean {
    return [...this.#waiters].some(({ question }) => question.asker.actor === actor);
  }

  join(question: Question, signal: AbortSignal): Promise<Outcome | Denied> {
    const { promise, resolve } = Promise.withResolvers<Outcome | Denied>();
    const cancel = () => waiter.end(stopped);
    const waiter: Waiter<Outcome, Question> = {
      question,
      end: (outcome) => {
        if (!this.#waiters.delete(waiter)) return;
        signal.removeEventListener("abort", cancel);
        resolve(outcome);
        this.#ports.onEnd();
      },
    };
    signal.addEventListener("abort", cancel, { once: true });
    this.#waiters.add(waiter);
    return promise;
  }

  build(): UserRequest {
    const [first, ...others] = [...this.#waiters].map(({ question }) => question);
    if (first === undefined) throw new Error("No call waits for this answer.");
    return this.#ports.build([first, ...others]);
  }

  take(answer: UserAnswer): void {
    const waiters = [...this.#waiters];
    const [first] = waiters;
    if (first === undefined) return;
    const outcome = this.#ports.take(answer, first.question);
    for (const waiter of waiters) {
      this.#ports.onOutcome?.(waiter.question, outcome);
      waiter.end(outcome);
    }
  }

  /** Ends what is no longer a question. Never rejects. */
  async review(): Promise<void> {
    const { review } = this.#ports;
    if (review === undefined) return;
    await Promise.all(
      [...this.#waiters].map(async (waiter) => {
        const outcome = await review(waiter.question);
        if (outcome !== null) waiter.end(outcome);
      }),
    );
  }

  /** Denies all waiting questions, or some of them. */
  deny(denied: Denied, which: (question: QuestionContext) => boolean = () => true): void {
    for (const waiter of [...this.#waiters]) if (which(waiter.question)) waiter.end(denied);
  }
}

export const stopped: Denied = {
  type: "deny",
  by: "agent",
  reason: "The agent was stopped before there was an answer.",
};
