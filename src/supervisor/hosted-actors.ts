import type { ActorHandle, ActorHost, Exit, SessionSide } from "../actors/hosts.ts";
import type { Journal } from "../journal/journal.ts";
import { errorMessage } from "../lib/errors.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { FromAgent } from "../mailbox/messages.ts";
import type { Gateway } from "../model/client.ts";
import type { Processes } from "../processes/processes.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { Actor } from "./actor-record.ts";
import { actorServices, beforeTurn, type ServiceParts } from "./actor-services.ts";
import type { Joints } from "./joints.ts";

export interface HostedParts extends Omit<ServiceParts, "connect"> {
  readonly journal: Journal;
  readonly host: ActorHost;
  readonly gateway: Gateway;
  readonly processes: Pick<Processes, "warm">;
  readonly toolbox: Pick<Toolbox, "find" | "whyAbsent">;
  readonly graceMs: number;
  /** A piece of a visible reply. */
  onPiece(actor: ActorId, piece: Extract<FromAgent, { type: "text" | "thinking" }>): void;
}

/** Attempts in a row, without a turn between them, that may be lost with their runners. */
const MOST_LOST = 3;
/** The same of attempts that ended elsewise, such as those whose edits could not be sent. */
const MOST_LEFT = 6;

/** Actors in their host. A loop that must stop, or that its actor has left, has a moment to end by itself. */
export class HostedActors {
  readonly #parts: HostedParts;
  /** By loop: an actor may have its next one while the last is still there. */
  readonly #graces = new Map<ActorHandle, () => void>();

  /** Those whose text is shown as it is written, whatever loop they have. */
  readonly #watched = new Set<ActorId>();

  constructor(parts: HostedParts) {
    this.#parts = parts;
  }

  start(actor: Actor): void {
    const { host, joints, journal, advance } = this.#parts;
    let handle: ActorHandle;
    try {
      const { last, notices } = beforeTurn(joints, actor);
      const spec = actor.specForStart(last, notices);
      const left = actor.whyLeft === null ? {} : { left: actor.whyLeft };
      journal.note({ type: "start", actor: actor.id, attempt: spec.attempt, ...left });
      handle = host.start({
        spec,
        connect: () => this.#connect(actor),
        services: actorServices(actor, { ...this.#parts, connect: () => this.#connect(actor) }),
        elsewhere: elsewhereOf(joints, actor),
        isSuspect: actor.lostWith.length === MOST_LOST - 1,
        onReport: (report) => this.#read(actor, spec.attempt, report),
      });
    } catch (error) {
      // The gateway is gone, or a feature threw.
      const reason = `It could not be started: ${errorMessage(error)}.`;
      advance(actor, { type: "not-started", reason });
      return;
    }
    actor.setHandle(handle);
    if (this.#watched.has(actor.id)) handle.watch(true);
    handle.exited.then((exit) => {
      this.#disarm(handle);
      if (actor.handle !== handle) return;
      advance(actor, { type: "exit", exit: this.#counted(actor, exit) });
      // The handle holds all that the loop was answered.
      if (actor.handle === handle) actor.setHandle(null);
    });
  }

  /** An actor that takes its runners with it, one after the other, is not given another one. */
  #counted(actor: Actor, exit: Exit): Exit {
    if (exit.type !== "lost" && exit.type !== "parked") return exit;
    const why = exit.type === "lost" ? `its runner ${exit.runner} was lost` : exit.reason;
    actor.leaveRunner(exit.type === "lost" && exit.begun ? exit.runner : null, why);
    const { lostWith, title } = actor;
    this.#parts.onWarning(`${title}: ${why.replace(/\.$/, "")}; a runner continues it.`);
    if (lostWith.length < MOST_LOST && actor.attemptsLeft < MOST_LEFT) return exit;
    if (lostWith.length < MOST_LOST)
      return {
        type: "threw",
        message: `${MOST_LEFT} attempts of it ended without a turn; the last because ${why}`,
      };
    const message = `${lostWith.length} runners were lost with it, one after the other, without a turn in between: ${lostWith.join(", ")}`;
    return { type: "threw", message };
  }

  watch(actor: Actor, on: boolean): void {
    if (on) this.#watched.add(actor.id);
    else this.#watched.delete(actor.id);
    actor.handle?.watch(on);
  }

  /** Its loop ends by itself; if it does not, it is ended. */
  release(actor: Actor): void {
    const { handle } = actor;
    if (!handle) return;
    actor.setHandle(null);
    this.#arm(actor, handle);
    this.#parts.gateway.disconnect(actor.id);
  }

  /** It must stop, or has ended: after its grace its loop is ended, and the thread that it leases. */
  armGrace(actor: Actor): void {
    if (actor.handle) this.#arm(actor, actor.handle);
  }

  /** No loop is left to be ended. */
  close(): void {
    for (const withdraw of this.#graces.values()) withdraw();
    this.#graces.clear();
  }

  #connect({ id }: Actor) {
    const { gateway } = this.#parts;
    if (gateway.isOver) throw new Error("The model gateway is gone.");
    return gateway.connect(id, id === MAIN);
  }

  #read(actor: Actor, attempt: number, report: FromAgent): void {
    const { clock, advance, changed, onPiece, host, processes, toolbox } = this.#parts;
    if (actor.spec.attempt !== attempt || actor.hasEnded) return;
    actor.noteSign(clock.now());
    switch (report.type) {
      case "progress":
        actor.setSaid(report.text);
        advance(actor, { type: "alive" });
        break;
      case "text":
        actor.addWritten(report.text);
        onPiece(actor.id, report);
        break;
      case "thinking":
        onPiece(actor.id, report);
        break;
      case "place":
        this.#showRunner(actor, report);
        break;
      case "call-begins":
        actor.draft(report.tool);
        changed(actor);
        host.warm(report.tool);
        if (toolbox.find(report.tool)?.needsHost) processes.warm();
        break;
      default:
        report satisfies never;
    }
  }

  #showRunner(actor: Actor, { runner, waits }: Extract<FromAgent, { type: "place" }>): void {
    const { journal, changed } = this.#parts;
    if (runner !== null)
      journal.note({ type: "boarded", actor: actor.id, attempt: actor.spec.attempt, runner });
    actor.board(runner);
    actor.keepFor(waits === null ? null : { type: "tool", tool: "runner", title: waits });
    changed(actor);
  }

  #arm(actor: Actor, handle: ActorHandle): void {
    this.#disarm(handle);
    const { clock, graceMs, advance } = this.#parts;
    const over = () => {
      this.#graces.delete(handle);
      if (actor.handle === handle) advance(actor, { type: "grace-over" });
      else handle.terminate();
    };
    this.#graces.set(handle, clock.after(graceMs, over));
  }

  #disarm(handle: ActorHandle): void {
    this.#graces.get(handle)?.();
    this.#graces.delete(handle);
  }
}

function elsewhereOf(joints: readonly Joints[], actor: Actor): SessionSide | null {
  if (actor.spec.pool === undefined) return null;
  return joints.find((feature) => feature.elsewhere)?.elsewhere?.(actor) ?? null;
}
