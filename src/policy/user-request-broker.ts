import { errorMessage } from "../lib/errors.ts";
import type { ActorId } from "../mailbox/ids.ts";
import {
  type ChoiceOutcome,
  type ChoiceQuestion,
  callKey,
  choiceOutcome,
  type Denied,
  nobody,
  type PermissionOutcome,
  type PermissionQuestion,
  type PlanOutcome,
  type PlanQuestion,
  permissionOutcome,
  planOutcome,
  type QuestionContext,
  questionKey,
  type Recheck,
  type SameCall,
} from "./asking/questions.ts";
import { QueuedRequest, type QueueOptions, stopped, UserRequestQueue } from "./asking/user-request-queue.ts";
import type { UserAnswer, UserHandler, UserRequest } from "./user-requests.ts";

export type { Recheck } from "./asking/questions.ts";

export interface AskBrokerOptions extends Omit<QueueOptions, "person"> {
  /** Null if no user can be asked: every request is a no immediately. */
  readonly person: UserHandler | null;
  /** Receives the rules, of those shown, that the user allows for the session. In force on return; a throw denies the call. */
  onGrant(rules: readonly string[]): void;
  /** Asked about each permission before it is shown, and again after each decision. A rejection denies. */
  recheck(question: PermissionQuestion): Recheck | Promise<Recheck>;
}

type PermissionEntry = QueuedRequest<Exclude<PermissionOutcome, Denied>, PermissionQuestion>;

/**
 * Everything that a session's agents ask the user, in one queue (A6.3, A6.10, fault 55). Each request is answered
 * exactly once, and whatever is not a clear yes means no: no user, an answer to another kind of question, a stopped
 * agent.
 */
export class UserRequestBroker {
  readonly #options: AskBrokerOptions;
  readonly #queue: UserRequestQueue | null;
  /** Open permission requests, with the key of calls that can share their answer. */
  readonly #permissions = new Map<PermissionEntry, string | null>();
  /** Open questions, by what they ask. */
  readonly #questions = new Map<string, QueuedRequest<Exclude<ChoiceOutcome, Denied>>>();
  /** Calls that are denied for the session, with what their agents read. */
  readonly #denied = new Map<string, string>();
  #asked = 0;

  constructor(options: AskBrokerOptions) {
    this.#options = options;
    const { person } = options;
    this.#queue =
      person && new UserRequestQueue({ ...options, person, onLate: options.onLate.bind(options) });
  }

  /** True if there is a user to ask. */
  get hasPerson(): boolean {
    return this.#queue !== null;
  }

  /**
   * Returns what the agent reads if the user has denied this very call for the session, or null. It is stronger than any
   * allow, so the gate asks here first.
   */
  denied(call: SameCall): string | null {
    if (this.#denied.size === 0) return null;
    const key = callKey(call);
    return key === null ? null : (this.#denied.get(key) ?? null);
  }

  /** Resolves with whether one call may run. Never rejects. Several agents that ask for the same call share one request. */
  async permission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionOutcome> {
    const refused = this.denied(question);
    if (refused !== null) return { type: "deny", by: "person", reason: refused };
    const queue = this.#openQueue(question, signal);
    if ("type" in queue) return queue;
    const key = questionKey(question);
    // Two calls of one agent are two requests: one yes does not permit doing a thing twice.
    const [known] = [...this.#permissions].find(
      ([entry, other]) => key !== null && other === key && !entry.isAskedBy(question.asker.actor),
    ) ?? [undefined];
    if (known) {
      const shared = known.join(question, signal);
      queue.update(known);
      return shared;
    }
    const entry = this.#permissionEntry(queue);
    this.#permissions.set(entry, key);
    const outcome = entry.join(question, signal);
    queue.add(entry);
    return outcome;
  }

  /** AskUserQuestion. Never rejects. */
  async question({ questions, ...asking }: ChoiceQuestion, signal: AbortSignal): Promise<ChoiceOutcome> {
    const key = JSON.stringify(questions);
    // Several agents that ask the same get the same answer.
    const known = this.#questions.get(key);
    if (known?.isOpen && !known.isAskedBy(asking.asker.actor)) {
      const shared = known.join(asking, signal);
      this.#queue?.update(known);
      return shared;
    }
    const ask: UserRequest = { type: "question", id: this.#nextId(), askers: [asking.asker], questions };
    const outcome = this.#single<Exclude<ChoiceOutcome, Denied>>(
      ask,
      asking,
      signal,
      choiceOutcome,
      (entry) => this.#questions.set(key, entry),
    );
    void outcome.then(() => this.#questions.delete(key));
    return outcome;
  }

  /** ExitPlanMode. Never rejects. What its approval allows is granted like any other rule. */
  async plan(question: PlanQuestion, signal: AbortSignal): Promise<PlanOutcome> {
    const { asker, call, plan, file, allows, onApproved } = question;
    const ask: UserRequest = { type: "plan", id: this.#nextId(), askers: [asker], plan, file, allows };
    return this.#single<Exclude<PlanOutcome, Denied>>(ask, { asker, call }, signal, (answer) => {
      const outcome = planOutcome(answer);
      if (outcome.type !== "approved") return outcome;
      this.#grant(allows.flatMap(({ rules }) => rules));
      onApproved(outcome.mode);
      return outcome;
    });
  }

  /** Reviews what waits and what is shown after another party has changed the rules or the mode. */
  async changed(): Promise<void> {
    await this.#queue?.review();
  }

  /** Withdraws all requests of an agent that has ended. */
  withdraw(actor: ActorId): void {
    this.#stop(({ asker }) => asker.actor === actor);
  }

  async #single<Outcome extends object>(
    ask: UserRequest,
    asking: QuestionContext,
    signal: AbortSignal,
    take: (answer: UserAnswer) => Outcome | Denied,
    onMade: (entry: QueuedRequest<Outcome>) => void = () => {},
  ): Promise<Outcome | Denied> {
    const queue = this.#openQueue(asking, signal);
    if ("type" in queue) return queue;
    const onEnd = () => queue.remove(entry);
    const entry = new QueuedRequest<Outcome>({
      build: ([first, ...others]) => ({
        ...ask,
        askers: [first.asker, ...others.map(({ asker }) => asker)],
      }),
      ...{ take, onEnd },
    });
    onMade(entry);
    const outcome = entry.join(asking, signal);
    queue.add(entry);
    return outcome;
  }

  #permissionEntry(queue: UserRequestQueue): PermissionEntry {
    const id = this.#nextId();
    const entry: PermissionEntry = new QueuedRequest({
      build([first, ...others]) {
        const { tool, level, input, toolUse, title, details, diff, description, reason, grants } = first;
        return {
          ...{ type: "permission", id, askers: [first.asker, ...others.map(({ asker }) => asker)] },
          ...{ tool, level, input, ...(toolUse === undefined ? {} : { toolUse }) },
          ...(diff === undefined ? {} : { diff }),
          ...{ title, details, ...(description === undefined ? {} : { description }), reason, grants },
        };
      },
      take: (answer, question) => {
        const { outcome, span } = permissionOutcome(answer, question.grants);
        if (outcome.type === "allow") this.#grant(outcome.grants);
        else if (span === "session") this.#denyForSession(question, outcome.reason);
        return outcome;
      },
      onOutcome(question, outcome) {
        if (outcome.type === "allow") question.onAllowed?.();
      },
      review: (question) => this.#review(question),
      onEnd: () => {
        if (!entry.isOpen) this.#permissions.delete(entry);
        queue.remove(entry);
      },
    });
    return entry;
  }

  #openQueue({ asker, call }: QuestionContext, signal: AbortSignal): UserRequestQueue | Denied {
    if (this.#queue === null) return nobody("No user can be asked in this session.");
    if (signal.aborted) return stopped;
    // The call now runs in another thread; the one that asked before no longer exists.
    this.#stop((other) => other.asker.actor === asker.actor && other.call === call);
    return this.#queue;
  }

  #stop(which: (asking: QuestionContext) => boolean): void {
    for (const request of this.#queue?.open ?? []) request.deny(stopped, which);
  }

  #grant(rules: readonly string[]): void {
    if (rules.length > 0) this.#options.onGrant(rules);
  }

  #denyForSession(question: PermissionQuestion, reason: string): void {
    const key = callKey(question);
    if (key !== null) this.#denied.set(key, `${reason} (This holds for the whole session.)`);
  }

  async #review(question: PermissionQuestion): Promise<PermissionOutcome | null> {
    const refused = this.denied(question);
    if (refused !== null) return { type: "deny", by: "person", reason: refused };
    const now = await this.#recheck(question);
    switch (now.type) {
      case "ask":
        return null;
      case "allow":
        return question.always ? null : { type: "allow", grants: [] };
      case "deny":
        return { type: "deny", by: "rules", reason: now.reason };
      default:
        return now satisfies never;
    }
  }

  async #recheck(question: PermissionQuestion): Promise<Recheck> {
    try {
      return await this.#options.recheck(question);
    } catch (error) {
      const why = errorMessage(error);
      return { type: "deny", reason: `It could not be decided again (${why}), so it counts as no.` };
    }
  }

  #nextId(): string {
    this.#asked += 1;
    return `ask${this.#asked}`;
  }
}
