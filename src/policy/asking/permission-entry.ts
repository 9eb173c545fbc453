import type { ActorId } from "../../mailbox/ids.ts";
import type { Asker, UserAnswer, UserRequest } from "../asks.ts";
import { permissionOutcome } from "./outcomes.ts";
import type { Denied, PermissionOutcome, PermissionQuestion } from "./questions.ts";
import type { Standing } from "./user-request-queue.ts";
import { Waiter } from "./waiter.ts";

type Allowed = Exclude<PermissionOutcome, Denied>;
export type PermissionWaiter = Waiter<Allowed, PermissionQuestion>;

/** What becomes of an answer besides that it is given: rules for the session, a call denied for the session. */
export interface Consequences {
  granted(rules: readonly string[]): void;
  deniedForTheSession(question: PermissionQuestion, reason: string): void;
  review(waiter: PermissionWaiter): Promise<void>;
}

/** One question about one call, for all agents that want to make this very call. */
export class PermissionEntry implements Standing {
  readonly waiters: PermissionWaiter[] = [];
  readonly #id: string;
  /** The same for questions that one answer serves; null: like no other. */
  readonly #key: string | null;
  readonly #consequences: Consequences;

  constructor(id: string, key: string | null, consequences: Consequences) {
    this.#id = id;
    this.#key = key;
    this.#consequences = consequences;
  }

  /** Two calls of one agent are two questions: one yes is not leave to do a thing twice. */
  takesIn(key: string | null, actor: ActorId): boolean {
    return (
      key !== null && key === this.#key && !this.#open.some(({ asking }) => asking.asker.actor === actor)
    );
  }

  join(question: PermissionQuestion, signal: AbortSignal, onEnd: () => void): Promise<PermissionOutcome> {
    const waiter: PermissionWaiter = new Waiter(question, signal, onEnd);
    this.waiters.push(waiter);
    return waiter.outcome;
  }

  put(): UserRequest {
    const [first, ...others] = this.#open.map(({ asking }) => asking);
    if (!first) throw new Error("Nobody waits for this answer.");
    const { tool, level, input, toolUse, title, details, description, reason, grants } = first;
    const askers: [Asker, ...Asker[]] = [first.asker, ...others.map(({ asker }) => asker)];
    const described = description === undefined ? {} : { description };
    return {
      type: "permission",
      id: this.#id,
      askers,
      tool,
      level,
      input,
      ...(toolUse === undefined ? {} : { toolUse }),
      title,
      details,
      ...described,
      reason,
      grants,
    };
  }

  take(answer: UserAnswer): void {
    const open = this.#open;
    const [first] = open;
    if (!first) return;
    const { outcome, span } = permissionOutcome(answer, first.asking.grants);
    if (outcome.type === "allow") this.#consequences.granted(outcome.grants);
    else if (span === "session") this.#consequences.deniedForTheSession(first.asking, outcome.reason);
    for (const waiter of open) {
      if (outcome.type === "allow") waiter.asking.onAllowed?.();
      waiter.end(outcome);
    }
  }

  async review(): Promise<void> {
    await Promise.all(this.#open.map((waiter) => this.#consequences.review(waiter)));
  }

  get #open(): readonly PermissionWaiter[] {
    return this.waiters.filter(({ isOpen }) => isOpen);
  }
}
