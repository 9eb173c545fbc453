import { checkedNote, noteOn } from "../features/receipts/check-text.ts";
import { type EndedRun, missedId, resultId } from "../journal/session-state.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { ActorRecord, Errand } from "./actor-record.ts";
import type { QueuedMessage } from "./inbox.ts";
import type { AgentNotice, DurableNotice, Notice, UnheardNotice } from "./notices.ts";
import type { Outputs } from "./outputs.ts";
import { howItEnded, reportOf } from "./report.ts";

export interface DeliveryPorts {
  find(id: ActorId): ActorRecord | undefined;
  readonly outputs: Pick<Outputs, "write" | "pathOf">;
  /** The main conversation has ended its turn, or there is news for it since then. */
  onIdle(): void;
  onWarning(message: string): void;
}

/**
 * Brings results and words to who is to hear them (D1): each at least once, by its durable name, so that it is heard
 * exactly once; what one that has ended did not hear goes to its parent, or to the parent's parent.
 */
export class Delivery {
  readonly #ports: DeliveryPorts;

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  /** The end of a run in the background becomes one notice; its report is a file from now on, and not before. */
  async result(actor: ActorRecord, run: number, errand: Errand, summary: Summary): Promise<void> {
    const path = await this.#written(actor, summary);
    this.#bring(errand.owner ?? actor.spec.parent, resultNotice(actor, run, summary, path));
  }

  /**
   * The same for a result that was durable before this program began, at once: whoever goes on is to have it in its
   * first request. The file is there a moment later.
   */
  resultAgain(actor: ActorRecord, { run, owner, summary }: Omit<EndedRun, "call" | "background">): void {
    void this.#written(actor, summary);
    const path = this.#ports.outputs.pathOf(actor.id);
    this.#bring(owner ?? actor.spec.parent, resultNotice(actor, run, summary, path));
  }

  /** Answers where the report is; null where it could not be written. */
  #written(actor: ActorRecord, summary: Summary): Promise<string | null> {
    return this.#ports.outputs.write(actor.id, summary.text).catch((error: Error) => {
      this.#ports.onWarning(`The report of agent ${actor.id} is in no file: ${error.message}`);
      return null;
    });
  }

  /** To an actor that is there; what runs in its background is its own, so nobody else is told of that. */
  notify(owner: ActorId, notice: Notice): void {
    const actor = this.#ports.find(owner);
    if (!actor) return;
    actor.owed.pushNotice(notice);
    this.#wake(actor);
  }

  /** Words that were said to it. */
  wakeFor(actor: ActorRecord): void {
    this.#wake(actor);
  }

  /** An actor has ended: what it has not heard is somebody else's. */
  forwardUnread(actor: ActorRecord): void {
    // The main conversation hears it when it goes on.
    if (actor.id === MAIN) {
      this.#wake(actor);
      return;
    }
    const { notices, words } = actor.owed.takeUndelivered();
    for (const notice of notices) this.#bring(actor.spec.parent, notice);
    for (const word of words) this.missed(actor, word);
  }

  /** Words that nobody hears any more: whoever said them is told, else who is responsible for it. */
  missed(actor: ActorRecord, { id, from, text }: QueuedMessage): void {
    if (from === null)
      this.#ports.onWarning(`Agent ${actor.id} ended before it heard: ${text.slice(0, 200)}`);
    else
      this.#bring(from, {
        ...{ type: "unheard", name: missedId(id), agent: actor.id, title: titleOf(actor) },
        ...{ sender: null, text },
      });
  }

  #bring(to: ActorId | null, notice: DurableNotice): void {
    const receiver = this.nearest(to);
    if (receiver) {
      receiver.owed.pushNotice(notice.type === "unheard" ? this.#inTheNameOf(to, receiver, notice) : notice);
      // Somebody stopped it and knows: it is told with the next turn, and no model is asked for it.
      if (notice.type !== "agent" || notice.status !== "cancelled") this.#wake(receiver);
    } else
      this.#ports.onWarning(
        `Agent ${notice.agent} ("${notice.title}") has ended, and nobody is left to hear of it; \`troupe sessions show\` has its report.`,
      );
  }

  #inTheNameOf(to: ActorId | null, receiver: ActorRecord, notice: UnheardNotice): UnheardNotice {
    if (to === receiver.id || to === null || notice.sender !== null) return notice;
    const sender = this.#ports.find(to);
    return { ...notice, sender: sender ? `agent "${titleOf(sender)}"` : `agent ${to}` };
  }

  /**
   * Who does not end before this one that works in the background: whoever hears of it. Agents that wrote to each
   * other may each work for the other; then neither waits, and the main conversation waits for both.
   */
  waitingFor(actor: ActorRecord): ActorRecord | undefined {
    const first = this.#above(actor);
    const seen = new Set<ActorRecord>();
    for (let at = first; at !== undefined && at.id !== MAIN && !seen.has(at); at = this.#above(at)) {
      seen.add(at);
      if (at === actor) return this.#ports.find(MAIN);
    }
    return first;
  }

  #above({ errand, spec }: ActorRecord): ActorRecord | undefined {
    return this.nearest(errand.owner ?? spec.parent);
  }

  /** Who hears what is for this one: the first upwards that has not ended; the main conversation never is gone. */
  nearest(to: ActorId | null): ActorRecord | undefined {
    for (let at = to; at !== null; ) {
      const actor = this.#ports.find(at);
      if (!actor) return this.#ports.find(MAIN);
      if (actor.id === MAIN || actor.child.state !== "ended") return actor;
      at = actor.spec.parent;
    }
    return this.#ports.find(MAIN);
  }

  #wake(actor: ActorRecord): void {
    if (actor.id === MAIN && actor.child.state === "ended") this.#ports.onIdle();
  }
}

function titleOf({ spec }: ActorRecord): string {
  return spec.description || spec.type;
}

function resultNotice(actor: ActorRecord, run: number, summary: Summary, path: string | null): AgentNotice {
  return {
    type: "agent",
    result: resultId(actor.id, run),
    agent: actor.id,
    title: titleOf(actor),
    status: summary.status,
    ending: `${howItEnded(summary)}${checkedNote(summary)}`,
    text: reportOf(summary),
    note: noteOn(summary),
    path,
  };
}
