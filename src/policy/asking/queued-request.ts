import type { ActorId } from "../../mailbox/ids.ts";
import type { UserAnswer, UserRequest } from "../user-requests.ts";
import type { Denied, QuestionContext } from "./questions.ts";

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
