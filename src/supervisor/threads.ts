import type { ActorHandle } from "../actors/hosts.ts";
import { withHeartbeat } from "../features/watch/heartbeat.ts";
import { errorMessage } from "../lib/errors.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { FromAgent, LastTurn } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { Session } from "../session/session.ts";
import type { ActorRecord } from "./actor-record.ts";
import { agentServices, type ServiceSide } from "./agent-services.ts";
import type { ChildEvent } from "./lifecycle.ts";

export interface ThreadsPorts {
  all(): Iterable<ActorRecord>;
  advance(actor: ActorRecord, event: ChildEvent): void;
  /** A piece of somebody's visible reply. */
  onText(actor: ActorRecord, text: string, turn: number): void;
  onWarning(message: string): void;
  lastWords(actor: ActorRecord): LastTurn | null;
  /** What the services of an actor need besides the session. */
  side(
    actor: ActorRecord,
  ): Omit<
    ServiceSide,
    Exclude<keyof Session, "caller"> | "isCurrent" | "advance" | "now" | "life" | "connect"
  >;
}

/**
 * The threads of a session's actors: each actor has one while it works, and gives it back while it only waits and
 * others need it. A thread that is not its actor's any more is given a moment to end by itself.
 */
export class Threads {
  readonly #session: Session;
  readonly #ports: ThreadsPorts;
  /** By thread: an actor may have its next one while the last is still there. */
  readonly #graces = new Map<ActorHandle, () => void>();

  constructor(session: Session, ports: ThreadsPorts) {
    this.#session = session;
    this.#ports = ports;
  }

  start(actor: ActorRecord): void {
    const spec = actor.specForThread(this.#ports.lastWords(actor));
    this.#session.journal.note({ type: "start", actor: actor.id, attempt: spec.attempt });
    let handle: ActorHandle;
    try {
      handle = this.#thread(actor);
    } catch (error) {
      // A machine without room for one more thread, or a library user's own host.
      const why = errorMessage(error);
      this.#ports.advance(actor, { type: "not-started", reason: `It could not be started: ${why}.` });
      return;
    }
    actor.handle = handle;
    handle.mail.onMail((mail) => this.#read(actor, handle, mail));
    handle.exited.then((exit) => {
      this.#disarm(handle);
      if (actor.handle !== handle) return;
      this.#ports.advance(actor, { type: "exit", exit });
      // All that its thread was answered hangs on it.
      if (actor.handle === handle) actor.handle = null;
    });
    this.relieve();
  }

  /** Where agents wait for threads, those that only wait for others are asked for theirs. */
  relieve(): void {
    const { threads, waiting } = this.#session.host.load();
    let wanted = threads < this.#session.maxThreads ? 0 : waiting;
    if (wanted === 0) return;
    for (const actor of this.#ports.all()) {
      if (actor.child.state !== "waiting" || actor.handle === null) continue;
      if (!mayYield(actor)) continue;
      actor.handle.mail.send({ type: "yield" });
      wanted -= 1;
      if (wanted === 0) return;
    }
  }

  /** The thread ends by itself; where it does not, it is ended. */
  release(actor: ActorRecord): void {
    const { handle } = actor;
    if (!handle) return;
    actor.handle = null;
    this.#arm(actor, handle);
    this.#session.gateway.disconnect(actor.id);
  }

  /** It is told to stop, or has ended: after its grace its thread is ended. */
  armGrace(actor: ActorRecord): void {
    if (actor.handle) this.#arm(actor, actor.handle);
  }

  /** Nobody is left to be ended. */
  close(): void {
    for (const withdraw of this.#graces.values()) withdraw();
    this.#graces.clear();
  }

  #thread(actor: ActorRecord): ActorHandle {
    const { host, gateway } = this.#session;
    const { spec } = actor;
    const lead = actor.id === MAIN;
    return host.start({
      spec,
      model: gateway.connect(actor.id, lead),
      onDeadLetter: (_letter, why) =>
        this.#ports.onWarning(`A letter of agent ${actor.id} was not read: ${why}.`),
      services: this.#servicesOf(actor, lead),
    });
  }

  /** What a thread of this actor is answered, as long as it is its thread. */
  #servicesOf(actor: ActorRecord, lead: boolean): Services {
    const { gateway, clock } = this.#session;
    const { attempt } = actor.spec;
    const now = () => clock.now();
    return withHeartbeat(
      agentServices(actor, {
        ...this.#session,
        life: actor.life.signal,
        now,
        isCurrent: () => actor.spec.attempt === attempt,
        advance: (event) => this.#ports.advance(actor, event),
        connect: () => {
          if (gateway.isOver) throw new Error("The model gateway is gone.");
          return gateway.connect(actor.id, lead);
        },
        ...this.#ports.side(actor),
      }),
      actor,
      now,
    );
  }

  #read(actor: ActorRecord, handle: ActorHandle, mail: FromAgent): void {
    if (actor.handle !== handle) return;
    actor.lastSignAt = this.#session.clock.now();
    switch (mail.type) {
      case "progress":
        actor.said = mail.text || actor.said;
        this.#ports.advance(actor, { type: "alive" });
        break;
      case "text":
        this.#ports.onText(actor, mail.text, mail.turn);
        break;
      case "call-begins":
        this.#bootFor(actor, mail.tool);
        break;
      default:
        mail satisfies never;
    }
  }

  /** Spares that nobody asks for yet would take their cores from an agent that does something else first. */
  #bootFor(actor: ActorRecord, tool: string): void {
    const needs = this.#session.toolbox.find(tool)?.needs;
    if (needs === "thread") this.#session.warm(++actor.begun);
    else if (needs === "process") this.#session.processes.warm();
    else if (actor.spec.parent === null && actor.begun === 0) this.#session.warm(0);
  }

  #arm(actor: ActorRecord, handle: ActorHandle): void {
    this.#disarm(handle);
    const { clock, common } = this.#session;
    const over = () => {
      this.#graces.delete(handle);
      if (actor.handle === handle) this.#ports.advance(actor, { type: "grace-over" });
      else handle.terminate();
    };
    this.#graces.set(handle, clock.after(common.limits.graceMs, over));
  }

  #disarm(handle: ActorHandle): void {
    this.#graces.get(handle)?.();
    this.#graces.delete(handle);
  }
}

/** As far as is known here; its thread has the last word (`OpenCalls.onlyWait`). */
function mayYield({ calls, judging }: ActorRecord): boolean {
  if ([...calls.values()].some(({ local }) => local)) return false;
  return judging === 0 || calls.size + judging === 1;
}
