import { errorMessage } from "../lib/errors.ts";
import type { Clock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { callKey, questionKey, type SameCall } from "./asking/identity.ts";
import { choiceOutcome, nobody, planOutcome } from "./asking/outcomes.ts";
import { type Consequences, PermissionEntry, type PermissionWaiter } from "./asking/permission-entry.ts";
import type {
  Asking,
  ChoiceOutcome,
  ChoiceQuestion,
  Denied,
  PermissionOutcome,
  PermissionQuestion,
  PlanOutcome,
  PlanQuestion,
  Recheck,
} from "./asking/questions.ts";
import { SingleEntry } from "./asking/single-entry.ts";
import { UserRequestQueue } from "./asking/user-request-queue.ts";
import { stopped } from "./asking/waiter.ts";
import type { UserAnswer, UserHandler, UserRequest } from "./asks.ts";

export type { Recheck } from "./asking/questions.ts";

export interface AskBrokerOptions {
  /** Null: nobody can be asked, and every ask is a no at once. */
  readonly person: UserHandler | null;
  /** Rules the person allows for the session, of those shown. In force when it returns; a throw denies the call. */
  onGrant(rules: readonly string[]): void;
  /** Asked of every permission before it is shown, and again whenever something was decided. A rejection denies. */
  recheck(question: PermissionQuestion): Recheck | Promise<Recheck>;
  /** A person answered what was no question any more; nothing came of it. Must not throw. */
  onLate(ask: UserRequest, answer: UserAnswer): void;
  /** Milliseconds a shown question waits for its answer; no end where absent. */
  readonly patience?: { readonly clock: Clock; readonly ms: number };
}

/**
 * All that a session's agents ask of the person, in one line (A6.3, A6.10, fault 55). Every ask is answered exactly
 * once, and whatever is no clear yes means no: nobody there, an answer of another kind, an agent that was stopped.
 */
export class UserRequestBroker {
  readonly #options: AskBrokerOptions;
  readonly #line: UserRequestQueue | null;
  /** Calls denied for the session, and what their agents are told. */
  readonly #denied = new Map<string, string>();
  #asked = 0;

  constructor(options: AskBrokerOptions) {
    this.#options = options;
    const { person } = options;
    this.#line = person && new UserRequestQueue({ ...options, person, onLate: options.onLate.bind(options) });
  }

  /** Whether there is somebody to ask at all. */
  get hasPerson(): boolean {
    return this.#line !== null;
  }

  /**
   * What its agent is told where the person has denied this very call for the session; null: nothing was said. It
   * counts before any allow, so the gate asks here first.
   */
  denied(call: SameCall): string | null {
    if (this.#denied.size === 0) return null;
    const key = callKey(call);
    return key === null ? null : (this.#denied.get(key) ?? null);
  }

  /** Whether one call may run. Never rejects. Several agents that ask for the same call share one question. */
  async permission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionOutcome> {
    const refused = this.denied(question);
    if (refused !== null) return { type: "deny", by: "person", reason: refused };
    const line = this.#lineFor(question, signal);
    if ("type" in line) return line;
    const key = questionKey(question);
    const { actor } = question.asker;
    const known = line.entries.find((entry) => entry instanceof PermissionEntry && entry.takesIn(key, actor));
    const entry =
      known instanceof PermissionEntry ? known : new PermissionEntry(this.#nextId(), key, this.#consequences);
    const outcome = entry.join(question, signal, () => line.ended(entry));
    if (entry !== known) line.add(entry);
    return outcome;
  }

  /** AskUserQuestion. Never rejects. */
  async question({ questions, ...asking }: ChoiceQuestion, signal: AbortSignal): Promise<ChoiceOutcome> {
    const ask: UserRequest = { type: "question", id: this.#nextId(), askers: [asking.asker], questions };
    return this.#single<Exclude<ChoiceOutcome, Denied>>(ask, asking, signal, choiceOutcome);
  }

  /** ExitPlanMode. Never rejects. What its approval allows is granted like any other rule. */
  async plan(question: PlanQuestion, signal: AbortSignal): Promise<PlanOutcome> {
    const { asker, call, plan, file, allows, onApproved } = question;
    const ask: UserRequest = { type: "plan", id: this.#nextId(), askers: [asker], plan, file, allows };
    return this.#single<Exclude<PlanOutcome, Denied>>(ask, { asker, call }, signal, (answer) => {
      const outcome = planOutcome(answer);
      if (outcome.type !== "approved") return outcome;
      this.#consequences.granted(allows.flatMap(({ rules }) => rules));
      onApproved(outcome.mode);
      return outcome;
    });
  }

  /** The rules or the mode were changed by somebody else: what waits is looked at again, and what is shown too. */
  async changed(): Promise<void> {
    await this.#line?.lookAgain();
  }

  /** An agent has ended: nothing of it is asked any more. */
  withdraw(actor: ActorId): void {
    this.#stop(({ asker }) => asker.actor === actor);
  }

  async #single<Outcome extends object>(
    ask: UserRequest,
    asking: Asking,
    signal: AbortSignal,
    outcomeOf: (answer: UserAnswer) => Outcome | Denied,
  ): Promise<Outcome | Denied> {
    const line = this.#lineFor(asking, signal);
    if ("type" in line) return line;
    const entry = new SingleEntry<Outcome>({ ask, asking, signal }, outcomeOf, (ended) => line.ended(ended));
    line.add(entry);
    return entry.outcome;
  }

  #lineFor({ asker, call }: Asking, signal: AbortSignal): UserRequestQueue | Denied {
    if (this.#line === null) return nobody("Nobody can be asked in this session.");
    if (signal.aborted) return stopped;
    // The thread that asked before is gone; the call goes on in another one.
    this.#stop((other) => other.asker.actor === asker.actor && other.call === call);
    return this.#line;
  }

  #stop(which: (asking: Asking) => boolean): void {
    const waiters = this.#line?.entries.flatMap((entry) => [...entry.waiters]) ?? [];
    for (const waiter of waiters) if (which(waiter.asking)) waiter.end(stopped);
  }

  readonly #consequences: Consequences = {
    granted: (rules) => {
      if (rules.length > 0) this.#options.onGrant(rules);
    },
    deniedForTheSession: (question, reason) => {
      const key = callKey(question);
      if (key !== null) this.#denied.set(key, `${reason} (This holds for the whole session.)`);
    },
    review: (waiter) => this.#review(waiter),
  };

  async #review(waiter: PermissionWaiter): Promise<void> {
    const { asking } = waiter;
    const refused = this.denied(asking);
    if (refused !== null) {
      waiter.end({ type: "deny", by: "person", reason: refused });
      return;
    }
    const now = await this.#recheck(asking);
    switch (now.type) {
      case "ask":
        return;
      case "allow":
        if (!asking.always) waiter.end({ type: "allow", grants: [] });
        return;
      case "deny":
        waiter.end({ type: "deny", by: "rules", reason: now.reason });
        return;
      default:
        now satisfies never;
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
