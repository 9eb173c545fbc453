import type { Outputs } from "../journal/outputs.ts";
import { type EndedRun, missedId } from "../journal/session-state.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { Actor } from "./actor-record.ts";
import type { QueuedMessage } from "./inbox.ts";
import {
  type AgentNotice,
  type DurableNotice,
  durableNotice,
  type Notice,
  type UnreadNotice,
} from "./notices.ts";
import type { RunFor } from "./run-state.ts";

export interface DeliveryParts {
  find(id: ActorId): Actor | undefined;
  readonly outputs: Pick<Outputs, "write" | "pathOf">;
  /** How the result of a run reads for the actor that started it in the background. */
  formatResult(actor: Actor, run: number, summary: Summary, path: string | null): AgentNotice;
  /** The main conversation is idle: it has just ended its turn, or has input since then. */
  onIdle(): void;
  onWarning(message: string): void;
}

/**
 * Delivers results and messages (D1): each at least once, by its durable name, so that it is heard exactly once; what one
 * that has ended did not hear goes to its parent, or to the parent's parent.
 */
export class Delivery {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** The end of a run in the background becomes one notice; its report is a file from now on, and not before. */
  async result(actor: Actor, run: number, runFor: RunFor, summary: Summary): Promise<void> {
    const path = await this.#write(actor, summary);
    this.#deliver(runFor.owner ?? actor.spec.parent, this.#parts.formatResult(actor, run, summary, path));
  }

  /**
   * The same for a result that was durable before this program began. It is in the inbox when this returns, for the first
   * request of an owner that continues. The file is there a moment later.
   */
  resultAgain(actor: Actor, { run, owner, summary }: Omit<EndedRun, "call" | "background">): void {
    void this.#write(actor, summary);
    const path = this.#parts.outputs.pathOf(actor.id);
    this.#deliver(owner ?? actor.spec.parent, this.#parts.formatResult(actor, run, summary, path));
  }

  /** Returns where the report is; null if it could not be written. */
  #write(actor: Actor, summary: Summary): Promise<string | null> {
    return this.#parts.outputs.write(actor.id, summary.text).catch((error: Error) => {
      this.#parts.onWarning(`The report of agent ${actor.id} is in no file: ${error.message}`);
      return null;
    });
  }

  /** To an actor that is there; what runs in its background is its own, so no other actor gets that notice. */
  notify(owner: ActorId, notice: Notice): void {
    const actor = this.#parts.find(owner);
    if (!actor) return;
    actor.inbox.pushNotice(notice);
    this.wake(actor);
  }

  message(actor: Actor, text: string, message: QueuedMessage): void {
    actor.inbox.pushMessage(text, message);
    this.wake(actor);
  }

  /** An actor has ended: another actor gets what it has not heard. */
  forwardUnread(actor: Actor): void {
    // The main conversation hears it when it continues.
    if (actor.id === MAIN) {
      this.wake(actor);
      return;
    }
    const { notices, messages } = actor.inbox.takeUndelivered();
    for (const notice of notices) this.#deliver(actor.spec.parent, notice);
    for (const message of messages) this.missed(actor, message);
  }

  /** A message that no run reads any longer: its sender gets a notice, or else the first actor above that one. */
  missed({ id: agent, title }: Actor, { id, from, text }: QueuedMessage): void {
    if (from === null) this.#parts.onWarning(`Agent ${agent} ended before it read: ${text.slice(0, 200)}`);
    else this.#deliver(from, { type: "unread", id: missedId(id), agent, title, sender: null, text });
  }

  #deliver(to: ActorId | null, notice: DurableNotice): void {
    const receiver = this.nearest(to);
    if (receiver) {
      receiver.inbox.pushNotice(
        durableNotice(notice.type === "unread" ? this.#withSender(to, receiver, notice) : notice),
      );
      // One that was stopped is no surprise: that is heard with the next turn, and no model is asked for it.
      if (notice.type !== "agent" || notice.status !== "cancelled") this.wake(receiver);
    } else
      this.#parts.onWarning(
        `Agent ${notice.agent} ("${notice.title}") has ended, and no agent is left to hear of it; \`troupe sessions show\` has its report.`,
      );
  }

  #withSender(to: ActorId | null, receiver: Actor, notice: UnreadNotice): UnreadNotice {
    if (to === receiver.id || to === null || notice.sender !== null) return notice;
    const sender = this.#parts.find(to);
    return { ...notice, sender: sender ? `agent "${sender.title}"` : `agent ${to}` };
  }

  /**
   * Returns who does not end before this one, which works in the background: the one that gets its result. Agents that wrote to
   * each other may each work for the other; then neither waits, and the main conversation waits for both.
   */
  waitingFor(actor: Actor): Actor | undefined {
    const first = this.#above(actor);
    const seen = new Set<Actor>();
    for (let at = first; at !== undefined && at.id !== MAIN && !seen.has(at); at = this.#above(at)) {
      seen.add(at);
      if (at === actor) return this.#parts.find(MAIN);
    }
    return first;
  }

  #above({ runFor, spec }: Actor): Actor | undefined {
    return this.nearest(runFor.owner ?? spec.parent);
  }

  /** Returns who hears what is for this one: the first upwards that has not ended. The main conversation is never gone. */
  nearest(to: ActorId | null): Actor | undefined {
    for (let at = to; at !== null; ) {
      const actor = this.#parts.find(at);
      if (!actor) return this.#parts.find(MAIN);
      if (actor.id === MAIN || !actor.hasEnded) return actor;
      at = actor.spec.parent;
    }
    return this.#parts.find(MAIN);
  }

  wake(actor: Actor): void {
    if (actor.id === MAIN && actor.hasEnded) this.#parts.onIdle();
  }
}
