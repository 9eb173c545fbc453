import { MAIN } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { Session } from "../session/session.ts";
import type { ActorRecord } from "./actor-record.ts";
import { awaitBackground, completeRun, type EndSide, isTheEnd, type Kept } from "./completion.ts";
import type { Delivery } from "./delivery.ts";
import type { ChildEvent } from "./lifecycle.ts";

export interface RestingPorts {
  all(): readonly ActorRecord[];
  advance(actor: ActorRecord, event: ChildEvent): void;
  changed(actor: ActorRecord): void;
  endSide(actor: ActorRecord): EndSide;
  readonly delivery: Delivery;
}

/** Actors that have answered, and are kept for what runs in the background. */
export class IdleActors {
  readonly #session: Session;
  readonly #ports: RestingPorts;

  constructor(session: Session, ports: RestingPorts) {
    this.#session = session;
    this.#ports = ports;
  }

  /** What runs beside an actor's conversation and keeps it from ending. */
  kept(actor: ActorRecord): Kept[] {
    const { background, common } = this.#session;
    if (actor.id === MAIN && common.options.background === "wake") return [];
    const commands = background
      .runningOf(actor.id)
      .map(({ title, ended }): Kept => ({ kind: "command", title, ended }));
    const agents = this.#ports
      .all()
      .filter(
        // Also one that has ended: until its result is told it is still news.
        (other) =>
          other.errand.background && !other.delivered && this.#ports.delivery.waitingFor(other) === actor,
      )
      .map(({ spec, ended }): Kept => ({ kind: "agent", title: spec.description || spec.type, ended }));
    return [...agents, ...commands];
  }

  /** An actor that has answered gives its thread back, and goes on in another one when there is news. */
  async rest(actor: ActorRecord, summary: Summary): Promise<void> {
    const { clock, common } = this.#session;
    const { run } = actor;
    const over = () => actor.child.state === "ended" || actor.run !== run;
    this.#ports.advance(actor, { type: "rests" });
    const ms = common.limits.backgroundMs;
    actor.said = summary.text;
    const news = await awaitBackground(actor, {
      ...{ clock, ms },
      running: () => this.kept(actor),
      onChange: () => this.#ports.changed(actor),
    });
    if (over()) return;
    if (!news) {
      const conclusion = await completeRun(actor, summary, this.#ports.endSide(actor));
      if (over()) return;
      if (isTheEnd(actor, conclusion))
        return this.#ports.advance(actor, { type: "summary", summary: conclusion.summary });
    }
    actor.goesOnAfter(summary.text);
    this.#ports.advance(actor, { type: "waited" });
  }
}
