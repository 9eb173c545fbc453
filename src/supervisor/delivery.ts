import { resultId } from "../journal/session-state.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { ActorRecord, Errand } from "./actor-record.ts";
import type { AgentNotice, Notice } from "./notices.ts";
import type { Outputs } from "./outputs.ts";
import { howItEnded } from "./report.ts";

export interface DeliveryPorts {
  find(id: ActorId): ActorRecord | undefined;
  readonly outputs: Pick<Outputs, "write">;
  /** The main conversation has ended its turn, and there is news for it. */
  onIdleNews(): void;
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
    const { outputs, onWarning } = this.#ports;
    const path = await outputs.write(actor.id, summary.text).catch((error: Error) => {
      onWarning(`The report of agent ${actor.id} is in no file: ${error.message}`);
      return null;
    });
    this.#bring(errand.owner ?? actor.spec.parent, {
      type: "agent",
      result: resultId(actor.id, run),
      agent: actor.id,
      title: actor.spec.description || actor.spec.type,
      status: summary.status,
      ending: howItEnded(summary),
      text: summary.text,
      path,
    });
  }

  /** To an actor that is there; what runs in its background is its own, so nobody else is told of that. */
  tell(owner: ActorId, notice: Notice): void {
    const actor = this.#ports.find(owner);
    if (!actor) return;
    actor.owed.tell(notice);
    this.#wake(actor);
  }

  /** Words that were said to it. */
  wakeFor(actor: ActorRecord): void {
    this.#wake(actor);
  }

  /** An actor has ended: what it has not heard is somebody else's. */
  passOn(actor: ActorRecord): void {
    // The main conversation hears it when it goes on.
    if (actor.id === MAIN) {
      if (actor.owed.hasNews) this.#wake(actor);
      return;
    }
    const { results, words } = actor.owed.takeUnheard();
    for (const notice of results) this.#bring(actor.spec.parent, notice);
    const title = actor.spec.description || actor.spec.type;
    for (const { from, text } of words) {
      if (from === null)
        this.#ports.onWarning(`Agent ${actor.id} ended before it heard: ${text.slice(0, 200)}`);
      else this.tell(from, { type: "unheard", agent: actor.id, title, text });
    }
  }

  #bring(to: ActorId | null, notice: AgentNotice): void {
    const receiver = this.nearest(to);
    if (receiver) {
      receiver.owed.tell(notice);
      this.#wake(receiver);
    } else
      this.#ports.onWarning(
        `Agent ${notice.agent} ("${notice.title}") has ended, and nobody is left to hear its report; \`troupe sessions show\` has it.`,
      );
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
    if (actor.id === MAIN && actor.child.state === "ended") this.#ports.onIdleNews();
  }
}
