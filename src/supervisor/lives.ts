import type { ActorHandle } from "../actors/hosts.ts";
import { within } from "../mailbox/clock.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { FromAgent } from "../mailbox/messages.ts";
import { type TaskGraph, taskInProgress } from "../mailbox/task-graph.ts";
import type { ActorRecord } from "./actor-record.ts";
import { agentServices } from "./agent-services.ts";
import { type ChildEvent, type Effect, type End, type Stop, step } from "./children.ts";
import { newsBeforeTheEnd } from "./news-before-the-end.ts";
import { withLeftBehind } from "./report.ts";
import type { Session } from "./session.ts";
import { Slots } from "./slots.ts";
import type { PermissionDenial, SupervisorEvent } from "./view.ts";

/** Who is told of what happens to actors. */
export interface LivesListeners {
  onEvent(event: SupervisorEvent): void;
  onDenied(denial: PermissionDenial): void;
}

/** Milliseconds that an end waits for its record and for the agent's processes to be gone. */
const PATIENCE_MS = 10_000;

/** One for all: an error made on the spot keeps, by its stack, the thread's lanes and all that went over them. */
const ENDED = new Error("The agent has ended.");

/**
 * Carries out what the reducer of `children.ts` decides: slots, threads, letters, graces, records. All
 * actors of a session live here, the main conversation among them.
 */
export class Lives {
  readonly #session: Session;
  readonly #listeners: LivesListeners;
  readonly #slots: Slots;
  readonly #actors = new Map<ActorId, ActorRecord>();
  /** By thread: an actor may have its next one while the last is still there. */
  readonly #graces = new Map<ActorHandle, () => void>();
  /** Summaries on their way to the disk. */
  readonly #writing = new Set<Promise<void>>();

  constructor(session: Session, listeners: LivesListeners) {
    this.#session = session;
    this.#listeners = listeners;
    this.#slots = new Slots(session.common.limits.maxAgents, (actor) =>
      this.#advance(actor, { type: "slot" }),
    );
  }

  /** In spawn order. */
  get all(): ActorRecord[] {
    return [...this.#actors.values()];
  }

  find(id: ActorId): ActorRecord | undefined {
    return this.#actors.get(id);
  }

  /** A new agent; it runs as soon as it has a slot. */
  begin(actor: ActorRecord): void {
    this.#actors.set(actor.id, actor);
    const parent = actor.spec.parent === null ? undefined : this.#actors.get(actor.spec.parent);
    parent?.children.push(actor.id);
    // Not at once, as for all: whoever asked may take it back before anything was started.
    if (actor.id === MAIN) queueMicrotask(() => this.#advance(MAIN, { type: "slot" }));
    else this.#slots.join(actor.id);
    this.changed(actor);
  }

  /** Everything below first, so that nobody is told of a child that is about to be stopped anyway. */
  stop(id: ActorId, stop: Stop): void {
    const actor = this.#actors.get(id);
    if (!actor) return;
    for (const child of actor.children) this.stop(child, stop);
    this.#advance(id, { type: "stop", stop });
  }

  /** Gives the actor's slot back while `other` is awaited; answers when the actor may run again. */
  async whileWaiting<T>(actor: ActorRecord, other: Promise<T>): Promise<T> {
    this.#advance(actor.id, { type: "wait" });
    try {
      return await other;
    } finally {
      await new Promise<void>((resolve) => {
        actor.goOn.push(resolve);
        this.#advance(actor.id, { type: "waited" });
      });
    }
  }

  /** Stops whoever is still there and waits for every summary to be written. */
  async close(reason: string): Promise<void> {
    const open = this.all.filter((actor) => actor.child.state !== "ended");
    for (const actor of open) this.stop(actor.id, { status: "cancelled", reason });
    await Promise.all(open.map((actor) => actor.ended));
    await Promise.all(this.#writing);
    for (const withdraw of this.#graces.values()) withdraw();
    this.#graces.clear();
  }

  /** Shows everybody's part in the session's tasks. */
  tell(tasks: TaskGraph): void {
    for (const actor of this.#actors.values()) {
      const task = taskInProgress(tasks, actor.id);
      const words = task === undefined ? null : task.activeForm || task.subject;
      if (actor.task === words) continue;
      actor.task = words;
      this.changed(actor);
    }
  }

  changed(actor: ActorRecord): void {
    this.#listeners.onEvent({ type: "agent", view: actor.view() });
  }

  #advance(id: ActorId, event: ChildEvent): void {
    const actor = this.#actors.get(id);
    if (!actor) return;
    const before = actor.child;
    const { next, effects } = step(before, event);
    actor.child = next;
    for (const effect of effects) this.#perform(actor, effect);
    if (next !== before) this.changed(actor);
  }

  #perform(actor: ActorRecord, effect: Effect): void {
    // The main conversation stands in no line: agents must never starve it (A20.1).
    const lead = actor.id === MAIN;
    switch (effect.type) {
      case "start":
        this.#start(actor);
        break;
      case "return-to-line":
        if (lead) this.#advance(MAIN, { type: "slot" });
        else this.#slots.rejoin(actor.id);
        break;
      case "leave-line":
        if (!lead) this.#slots.leave(actor.id);
        break;
      case "release-slot":
        if (!lead) this.#slots.release();
        break;
      case "go-on":
        for (const go of actor.goOn.splice(0)) go();
        break;
      case "mail-cancel":
        actor.stopping.abort(new Error(effect.reason));
        actor.handle?.mail.send({ type: "cancel", reason: effect.reason });
        break;
      case "arm-grace":
        if (actor.handle) this.#armGrace(actor, actor.handle);
        break;
      case "terminate":
        actor.handle?.terminate();
        break;
      case "end":
        this.#end(actor, effect.end);
        break;
      default:
        effect satisfies never;
    }
  }

  #start(actor: ActorRecord): void {
    actor.startedAt ??= this.#session.clock.now();
    this.#session.journal.note({ type: "start", actor: actor.id, attempt: actor.spec.attempt });
    let handle: ActorHandle;
    try {
      handle = this.#thread(actor);
    } catch (error) {
      // A machine without room for one more thread, or a library user's own host.
      const why = error instanceof Error ? error.message : String(error);
      this.#advance(actor.id, { type: "not-started", reason: `It could not be started: ${why}.` });
      return;
    }
    actor.handle = handle;
    if (actor.deadlineMs !== null) this.#armDeadline(actor, actor.deadlineMs);
    handle.mail.onMail((mail) => this.#read(actor, handle, mail));
    handle.exited.then((exit) => {
      this.#disarmGrace(handle);
      if (actor.handle !== handle) return;
      this.#advance(actor.id, { type: "exit", exit });
      // All that its thread was answered hangs on it.
      if (actor.handle === handle) actor.handle = null;
    });
  }

  #thread(actor: ActorRecord): ActorHandle {
    const { host, gateway } = this.#session;
    const { spec } = actor;
    return host.start({
      spec,
      model: gateway.connect(actor.id, actor.id === MAIN),
      onDeadLetter: (_letter, why) => this.#warn(`A letter of agent ${actor.id} was not read: ${why}.`),
      services: agentServices(actor, {
        ...this.#session,
        signal: actor.stopping.signal,
        isCurrent: () => actor.spec.attempt === spec.attempt,
        advance: (event) => this.#advance(actor.id, event),
        changed: () => this.changed(actor),
        goesOn: () => this.#goesOn(actor),
        halt: (reason) => this.stop(actor.id, { status: "cancelled", reason: `A hook ended it: ${reason}` }),
        caller: (cwd) => this.#session.caller(actor.id, cwd),
        denied: ({ toolUse, tool, input }) =>
          this.#listeners.onDenied({
            actor: actor.id,
            tool_name: tool,
            tool_use_id: toolUse,
            tool_input: input,
          }),
      }),
    });
  }

  #goesOn(actor: ActorRecord): Promise<boolean> {
    const { background, clock, common } = this.#session;
    return newsBeforeTheEnd(actor, background, {
      clock,
      ms: common.limits.backgroundMs,
      whileWaiting: (other) => {
        this.changed(actor);
        return this.whileWaiting(actor, other);
      },
    });
  }

  #read(actor: ActorRecord, handle: ActorHandle, mail: FromAgent): void {
    if (actor.handle !== handle) return;
    switch (mail.type) {
      case "progress":
        actor.said = mail.text || actor.said;
        this.#advance(actor.id, { type: "alive" });
        break;
      case "text":
        this.#listeners.onEvent({ type: "text", actor: actor.id, text: mail.text, turn: mail.turn });
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

  #armDeadline(actor: ActorRecord, ms: number): void {
    const stop = { status: "timed_out", reason: `It did not end within ${ms} ms.` } as const;
    const withdraw = this.#session.clock.after(ms, () => this.stop(actor.id, stop));
    actor.ended.then(withdraw);
  }

  #armGrace(actor: ActorRecord, handle: ActorHandle): void {
    this.#disarmGrace(handle);
    const { clock, common } = this.#session;
    const over = () => {
      this.#graces.delete(handle);
      if (actor.handle === handle) this.#advance(actor.id, { type: "grace-over" });
      else handle.terminate();
    };
    this.#graces.set(handle, clock.after(common.limits.graceMs, over));
  }

  #disarmGrace(handle: ActorHandle): void {
    this.#graces.get(handle)?.();
    this.#graces.delete(handle);
  }

  /** Durable first, then delivered: a summary that was seen is never lost. */
  #end(actor: ActorRecord, end: End): void {
    const { journal, processes, background, writes, gateway, clock } = this.#session;
    // Taken now: before the disk has answered, the next run of the same actor may have begun.
    const { deliver } = actor;
    const said = end.by === "agent" ? end.summary : actor.salvaged(end.status, end.reason);
    const summary = withLeftBehind(said, background.release(actor.id));
    actor.summary = summary;
    actor.endedAt = clock.now();
    actor.calls.clear();
    // Only the main conversation is asked again; what an agent read is in the journal.
    if (actor.id !== MAIN) actor.turns = [];
    actor.stopping.abort(ENDED);
    this.#session.broker.withdraw(actor.id);
    writes.releaseAll(actor.id);
    if (end.by === "runtime") gateway.disconnect(actor.id);
    const orphaned = { status: "cancelled", reason: "The agent that asked for it has ended." } as const;
    for (const child of actor.children) this.stop(child, orphaned);
    const durationMs = actor.endedAt - (actor.startedAt ?? actor.createdAt);
    const record = journal.append({ type: "summary", actor: actor.id, summary, durationMs });
    const kept = Promise.allSettled([record, processes.stopOwner(actor.id)]).then((outcomes) => {
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") this.#warn(outcome.reason);
      }
    });
    // A disk or a host that hangs must not hold up an end for ever.
    const written = within(clock, PATIENCE_MS, kept).then((inTime) => {
      if (!inTime)
        this.#warn(
          `The end of agent ${actor.id} was not on disk within ${PATIENCE_MS / 1000} s; check the disk.`,
        );
      deliver(summary);
      this.#writing.delete(written);
    });
    this.#writing.add(written);
  }

  #warn(error: unknown): void {
    this.#listeners.onEvent({
      type: "warning",
      message: error instanceof Error ? error.message : String(error),
    });
  }
}
