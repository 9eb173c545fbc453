import type { ActorHost } from "../actors/hosts.ts";
import type { ModelWait, SupervisorEvent } from "../events/event.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { Usage } from "../mailbox/conversation.ts";
import { type ActorId, type CallId, MAIN } from "../mailbox/ids.ts";
import type { ActorModel, Summary } from "../mailbox/messages.ts";
import type { Location } from "../mailbox/worktree.ts";
import type { Gateway } from "../model/client.ts";
import type { Processes } from "../processes/processes.ts";
import type { Limits } from "../settings/limits.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { Actor } from "./actor-record.ts";
import { Completion, ENDED } from "./completion.ts";
import { Delivery, type DeliveryParts } from "./delivery.ts";
import { HostedActors } from "./hosted-actors.ts";
import type { CoreEvent, Joints } from "./joints.ts";
import type { ActorEvent, LifecycleEffect, StopRequest, StopScope } from "./lifecycle.ts";
import type { Notice } from "./notices.ts";
import { isForHook, type Remarks } from "./run-state.ts";
import { Slots } from "./slots.ts";

/** What the core is given. */
export interface CoreParts extends Pick<DeliveryParts, "outputs" | "formatResult"> {
  readonly journal: Journal & { leave(): void };
  readonly gateway: Gateway;
  readonly host: ActorHost;
  readonly processes: Pick<Processes, "stopOwner" | "warm">;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly toolbox: Toolbox;
  /** The main conversation ends with its answer, and is woken by what comes from its background. */
  readonly wakesMain: boolean;
  onEvent(event: SupervisorEvent): void;
}

const ORPHANED: StopRequest = { status: "cancelled", reason: "The agent that asked for it has ended." };

/** All actors of a session, the main conversation among them: carries out what the reducer of `lifecycle.ts` decides. */
export class ActorSystem {
  readonly #parts: CoreParts;
  readonly #slots: Slots;
  readonly #actors = new Map<ActorId, Actor>();
  readonly #joints: Joints[] = [];
  readonly delivery: Delivery;
  readonly #hosted: HostedActors;
  readonly #completion: Completion;
  /** Why nothing happens any longer, or null if it still does. */
  #detachedBecause: string | null = null;
  /** Those that had not ended then. */
  readonly left: Actor[] = [];

  constructor(parts: CoreParts) {
    this.#parts = parts;
    const { limits } = parts;
    this.#slots = new Slots(limits.maxAgents, (id) => this.#advanceId(id, { type: "slot" }));
    const common = {
      ...{ ...parts, joints: this.#joints },
      all: () => this.all(),
      advance: (actor: Actor, event: ActorEvent) => this.#advance(actor, event),
      changed: (actor: Actor) => this.changed(actor),
      emit: (event: CoreEvent) => this.emit(event),
      onWarning: (message: string) => this.#warn(message),
    };
    this.delivery = new Delivery({
      ...common,
      find: (id) => this.find(id),
      onIdle: () => this.emit({ type: "idle" }),
    });
    this.#completion = new Completion({
      ...{ ...common, delivery: this.delivery, backgroundMs: limits.backgroundMs },
      stopAwaited: ({ id }) => {
        for (const other of this.#awaitedBy(id)) this.stop(other, ORPHANED, "foreground");
      },
    });
    this.#hosted = new HostedActors({
      ...{ ...common, completion: this.#completion, graceMs: limits.graceMs },
      onPiece: (actor, piece) => parts.onEvent({ ...piece, actor }),
    });
  }

  /** Gives the core its features, before the first actor starts. They are called in this order. */
  plugIn(features: readonly Joints[]): void {
    this.#joints.push(...features);
  }

  get joints(): readonly Joints[] {
    return this.#joints;
  }

  /** In spawn order. */
  all(): readonly Actor[] {
    return [...this.#actors.values()];
  }

  find(id: ActorId): Actor | undefined {
    return this.#actors.get(id);
  }

  /** The agent that this call started, if it did. */
  startedBy(call: CallId): Actor | undefined {
    return this.all().find(({ runFor }) => runFor.call === call);
  }

  /** Adds one that does not run. */
  add(actor: Actor): void {
    if (this.#actors.has(actor.id)) return;
    this.#actors.set(actor.id, actor);
    const parent = actor.spec.parent === null ? undefined : this.#actors.get(actor.spec.parent);
    parent?.addChild(actor.id);
  }

  /** A new agent, or one that continues; it runs as soon as it has a slot. */
  start(actor: Actor): void {
    this.add(actor);
    if (this.#detachedBecause !== null) {
      this.#leave(actor, this.#detachedBecause);
      return;
    }
    // Not in this moment: the caller may withdraw it before anything was started.
    if (waitsForSlot(actor)) this.#slots.join(actor.id);
    else queueMicrotask(() => this.#advance(actor, { type: "slot" }));
    this.changed(actor);
  }

  /** Everything below first, so that no agent gets notices of children that are about to be stopped. */
  stop(id: ActorId, stop: StopRequest, scope: StopScope = "subtree"): void {
    const actor = this.#actors.get(id);
    if (!actor) return;
    const below = scope === "subtree" ? actor.children : this.#awaitedBy(id);
    for (const other of below) this.stop(other, stop, scope);
    if (scope === "subtree") actor.life.abort(ENDED);
    this.#advance(actor, { type: "stop", stop });
  }

  /** The user does not want to wait: what an actor waits for continues in the background. Returns how much that is. */
  toBackground(owner: ActorId): number {
    const agents = this.#awaitedBy(owner)
      .flatMap((id) => this.find(id) ?? [])
      .filter(({ runFor }) => runFor.call !== null);
    for (const actor of agents) {
      this.#parts.journal.note({ type: "to-background", actor: actor.id });
      actor.toBackground();
      this.changed(actor);
    }
    return this.#joints.reduce((sum, one) => sum + (one.toBackground?.(owner) ?? 0), agents.length);
  }

  /** Not by their position in the tree: an agent that was resumed works for the one that resumed it. */
  #awaitedBy(owner: ActorId): ActorId[] {
    const isAwaited = ({ runFor, hasEnded }: Actor) =>
      runFor.owner === owner && !runFor.background && !hasEnded;
    return this.all()
      .filter(isAwaited)
      .map(({ id }) => id);
  }

  /** Gives the actor's slot back while `other` is awaited; resolves when the actor may run again. */
  async whileWaiting<T>(actor: Actor, other: Promise<T>): Promise<T> {
    const { run } = actor;
    this.#advance(actor, { type: "wait" });
    try {
      return await other;
    } finally {
      // A wait of an earlier run must not wake this one.
      if (actor.run === run) {
        const returned = actor.waitForSlot();
        this.#advance(actor, { type: "waited" });
        await returned;
      }
    }
  }

  notify(id: ActorId, notice: Notice): void {
    this.delivery.notify(id, notice);
  }

  /** It knows what this notice would say. */
  withdraw(id: ActorId, notice: string): void {
    this.find(id)?.inbox.withdraw(notice);
  }

  /** It works there from its next call on. */
  move(id: ActorId, place: Location): void {
    this.find(id)?.move(place);
  }

  /** It asks this model from its next request on. */
  setModel(id: ActorId, model: ActorModel): void {
    this.#change(id, (actor) => actor.setModel(model));
  }

  showRemarks(id: ActorId, remarks: Partial<Remarks>): void {
    this.#change(id, (actor) => actor.showRemarks(remarks));
  }

  /** Why its model is not available, or null once it is again. */
  showWait(id: ActorId, wait: ModelWait | null): void {
    this.#change(id, (actor) => actor.showWait(wait));
  }

  watch(id: ActorId, on: boolean): void {
    const actor = this.find(id);
    if (actor) this.#hosted.watch(actor, on);
  }

  /** The gateway works for it. */
  noteSign(id: ActorId): void {
    this.find(id)?.noteSign(this.#parts.clock.now());
  }

  charge(id: ActorId, usage: Usage, costUsd: number): void {
    this.#change(id, (actor) => actor.charge(usage, costUsd));
  }

  #change(id: ActorId, change: (actor: Actor) => void): void {
    const actor = this.find(id);
    if (!actor) return;
    change(actor);
    this.changed(actor);
  }

  /** True if the main conversation ends with its answer, and is woken by what comes from its background. */
  get wakesMain(): boolean {
    return this.#parts.wakesMain;
  }

  /** Writes the one summary of an actor that had answered before the program died. */
  endRestored(actor: Actor, summary: Summary): void {
    this.#completion.endRestored(actor, summary);
  }

  /**
   * Leaves all actors as they are: nothing more happens to them here, and none of it is recorded. Who waits for one
   * gets an answer, in this process only.
   */
  detach(reason: string): void {
    this.#detachedBecause ??= reason;
    this.#parts.journal.leave();
    this.#hosted.close();
    for (const actor of this.all()) if (!actor.hasEnded) this.#leave(actor, reason);
  }

  #leave(actor: Actor, reason: string): void {
    const summary = actor.salvage("cancelled", reason);
    this.left.push(actor);
    actor.end(summary, this.#parts.clock.now());
    actor.stopping.abort(ENDED);
    actor.life.abort(ENDED);
    this.emit({ type: "released", id: actor.id, actor });
    actor.handle?.terminate();
    actor.deliver(summary);
    this.changed(actor);
  }

  /** Stops all that have not ended and waits for every summary to be written. `asleep`: they were never started. */
  async close(reason: string, asleep: ReadonlySet<ActorId>): Promise<void> {
    const open = () => this.all().filter(({ id, hasEnded }) => !hasEnded && !asleep.has(id));
    // One may be started while the others end.
    for (let left = open(); left.length > 0; left = open()) {
      for (const actor of left) this.stop(actor.id, { status: "cancelled", reason });
      await Promise.all(left.map((actor) => actor.ended));
    }
    await this.#completion.settled();
    this.#hosted.close();
  }

  /** Resolves when every end so far is durable and delivered. */
  settled(): Promise<void> {
    return this.#completion.settled();
  }

  changed(actor: Actor): void {
    this.emit({ type: "changed", actor });
  }

  emit(event: CoreEvent): void {
    for (const feature of this.#joints) {
      try {
        feature.onEvent?.(event);
      } catch (error) {
        this.#warn(errorMessage(error));
      }
    }
  }

  #advanceId(id: ActorId, event: ActorEvent): void {
    const actor = this.#actors.get(id);
    if (actor) this.#advance(actor, event);
  }

  #advance(actor: Actor, event: ActorEvent): void {
    if (this.#detachedBecause !== null) return;
    const before = actor.lifecycle;
    const effects = actor.advance(event);
    for (const effect of effects) this.#perform(actor, effect);
    if (actor.lifecycle !== before) this.changed(actor);
  }

  #perform(actor: Actor, effect: LifecycleEffect): void {
    const needsSlot = waitsForSlot(actor);
    switch (effect.type) {
      case "start":
        this.#start(actor);
        break;
      case "return-to-line":
        if (needsSlot) this.#slots.rejoin(actor.id);
        else this.#advance(actor, { type: "slot" });
        break;
      case "leave-line":
        if (needsSlot) this.#slots.leave(actor.id);
        break;
      case "release-slot":
        if (needsSlot) this.#slots.release();
        break;
      case "release-loop":
        this.#hosted.release(actor);
        break;
      case "return-to-calls":
        actor.returnToCalls();
        break;
      case "send-cancel":
        actor.stopping.abort(new Error(effect.reason));
        actor.handle?.cancel(effect.reason);
        break;
      case "arm-grace":
        this.#hosted.armGrace(actor);
        break;
      case "terminate":
        actor.handle?.terminate();
        break;
      case "end":
        this.#completion.finalize(actor, effect.end);
        break;
      default:
        effect satisfies never;
    }
  }

  #start(actor: Actor): void {
    const { clock } = this.#parts;
    const isFirst = actor.startedAt === null;
    actor.start(clock.now());
    const { deadlineMs } = actor;
    if (isFirst && deadlineMs !== null && Number.isFinite(deadlineMs)) {
      const reason = `It did not end within ${deadlineMs} ms.`;
      const stop = () => this.stop(actor.id, { status: "timed_out", reason });
      actor.ended.then(clock.after(deadlineMs, stop));
    }
    const answer = actor.takeRecoveredAnswer();
    if (answer !== null) {
      void this.#completion.conclude(actor, answer);
      return;
    }
    const needs = this.#joints.flatMap((feature) => feature.prepareStart?.(actor) ?? []);
    const [first] = needs;
    if (first === undefined) {
      this.#hosted.start(actor);
      return;
    }
    actor.keepFor({ type: "tool", tool: first.tool, title: first.title });
    const { run } = actor;
    void Promise.all(needs.map(({ ready }) => ready)).then((problems) => {
      actor.keepFor(null);
      if (actor.run !== run) return;
      const problem = problems.find((one) => one !== null) ?? null;
      // It was stopped since then, and has no loop that could end. One for which the user was asked is "running" by now.
      if (actor.lifecycle.state === "cancelling" || actor.hasEnded)
        this.#advance(actor, { type: "exit", exit: { type: "terminated" } });
      else if (problem !== null) this.#advance(actor, { type: "not-started", reason: problem });
      else this.#hosted.start(actor);
    });
  }

  #warn(message: string): void {
    this.#parts.onEvent({ type: "warning", message });
  }
}

/**
 * The main conversation waits for no slot: agents must never starve it (A20.1). Nor does the agent of a hook: its owner
 * waits for it, and cannot give its own slot back, since it may hold a file that other agents wait for.
 */
function waitsForSlot({ id, runFor }: Actor): boolean {
  return id !== MAIN && !isForHook(runFor);
}
