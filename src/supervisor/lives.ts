import type { ActorHandle } from "../actors/hosts.ts";
import { within } from "../mailbox/clock.ts";
import { type ActorId, type CallId, MAIN } from "../mailbox/ids.ts";
import type { FromAgent, LastTurn, Reply, Summary } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import { type TaskGraph, taskInProgress } from "../mailbox/task-graph.ts";
import type { ActorRecord } from "./actor-record.ts";
import { agentServices } from "./agent-services.ts";
import { type ChildEvent, type Effect, type End, type Stop, step } from "./children.ts";
import { Delivery } from "./delivery.ts";
import type { HookSide } from "./hooked-calls.ts";
import { concluded, goesOnWithNews, type Kept, newsBeforeTheEnd } from "./keeping.ts";
import { withLeftBehind } from "./report.ts";
import type { Session } from "./session.ts";
import { Slots } from "./slots.ts";
import type { PermissionDenial, SupervisorEvent } from "./view.ts";
import { silenceOf } from "./watch/judge.ts";
import { signed } from "./watch/signs.ts";
import { startWatch, type Watch, type WatchNews } from "./watch/watch.ts";
import { watched } from "./watch/watched-record.ts";

/** Who is told of what happens to actors. */
export interface LivesListeners {
  onEvent(event: SupervisorEvent): void;
  onDenied(denial: PermissionDenial): void;
  /** The main conversation has ended its turn, and there is news for it. */
  onIdleNews(): void;
  /** A reply wants agents started, before any of it is done. */
  onReplied(actor: ActorRecord, reply: Reply): void;
  lastWords(actor: ActorRecord): LastTurn | null;
}

/** `foreground`: and what it waits for, but not what runs in the background. */
export type StopScope = "subtree" | "foreground";

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
  readonly delivery: Delivery;
  readonly #watch: Watch;

  constructor(session: Session, listeners: LivesListeners) {
    this.#session = session;
    this.#listeners = listeners;
    this.#slots = new Slots(session.common.limits.maxAgents, (actor) =>
      this.#advance(actor, { type: "slot" }),
    );
    this.delivery = new Delivery({
      find: (id) => this.#actors.get(id),
      outputs: session.outputs,
      onIdleNews: () => listeners.onIdleNews(),
      onWarning: (message) => this.#warn(message),
    });
    const { limits } = session.common;
    const { clock } = session;
    this.#watch = startWatch({
      clock,
      limits: { ...limits, silentMs: silenceOf(limits) },
      ...(limits.sessionMinutes === 0
        ? {}
        : { session: { startedAt: clock.now(), deadlineMs: limits.sessionMinutes * 60_000 } }),
      actors: () =>
        this.all.filter(({ child }) => child.state !== "ended").map((actor) => watched(actor, limits.toolMs)),
      onNews: (news) => this.#heed(news),
    });
  }

  /** A watch has looked: a person is told, and what is lost is ended. */
  #heed(news: WatchNews): void {
    const actor = news.actor === null ? undefined : this.#actors.get(news.actor);
    switch (news.type) {
      case "warn":
        this.#warn(news.sentence);
        break;
      case "end":
        if (news.actor !== null) this.stop(news.actor, news.stop, "foreground");
        else for (const { id } of this.all) this.stop(id, news.stop);
        return;
      case "paused":
        this.#warn(news.sentence);
        return;
      case "well":
        break;
      default:
        news satisfies never;
    }
    if (!actor) return;
    actor.trouble = news.type === "warn" ? news.sentence : null;
    this.changed(actor);
  }

  /** In spawn order. */
  get all(): ActorRecord[] {
    return [...this.#actors.values()];
  }

  find(id: ActorId): ActorRecord | undefined {
    return this.#actors.get(id);
  }

  /** The agent that this call started, if it did. */
  startedBy(call: CallId): ActorRecord | undefined {
    return this.all.find(({ errand }) => errand.call === call);
  }

  /** One that is known again, and does not run. */
  add(actor: ActorRecord): void {
    if (this.#actors.has(actor.id)) return;
    this.#actors.set(actor.id, actor);
    const parent = actor.spec.parent === null ? undefined : this.#actors.get(actor.spec.parent);
    parent?.children.push(actor.id);
  }

  /** A new agent, or one that goes on; it runs as soon as it has a slot. */
  begin(actor: ActorRecord): void {
    this.add(actor);
    // Not at once, as for all: whoever asked may take it back before anything was started.
    if (actor.id === MAIN) queueMicrotask(() => this.#advance(MAIN, { type: "slot" }));
    else this.#slots.join(actor.id);
    this.changed(actor);
  }

  /** Everything below first, so that nobody is told of a child that is about to be stopped anyway. */
  stop(id: ActorId, stop: Stop, scope: StopScope = "subtree"): void {
    const actor = this.#actors.get(id);
    if (!actor) return;
    for (const child of actor.children) {
      if (scope === "subtree" || !this.#actors.get(child)?.errand.background) this.stop(child, stop, scope);
    }
    if (scope === "subtree") actor.life.abort(ENDED);
    this.#advance(id, { type: "stop", stop });
  }

  /** Gives the actor's slot back while `other` is awaited; answers when the actor may run again. */
  async whileWaiting<T>(actor: ActorRecord, other: Promise<T>): Promise<T> {
    this.#advance(actor.id, { type: "wait" });
    this.#relieve();
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
    this.#watch.stop();
  }

  /** Resolves when every end so far is durable and delivered. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
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
      case "let-go":
        this.#letGo(actor);
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
    const { clock, spending } = this.#session;
    actor.startedAt ??= clock.now();
    spending.purses.begin(actor.id);
    const spec = actor.board(this.#listeners.lastWords(actor));
    this.#session.journal.note({ type: "start", actor: actor.id, attempt: spec.attempt });
    let handle: ActorHandle;
    try {
      handle = this.#thread(actor);
    } catch (error) {
      // A machine without room for one more thread, or a library user's own host.
      const why = error instanceof Error ? error.message : String(error);
      this.#advance(actor.id, { type: "not-started", reason: `It could not be started: ${why}.` });
      return;
    }
    const first = actor.handle === null && spec.turns.length === 0;
    actor.handle = handle;
    this.#watch.wake();
    const ms = Math.min(
      actor.deadlineMs ?? Number.POSITIVE_INFINITY,
      spending.purses.deadline(actor.id)?.ms ?? Number.POSITIVE_INFINITY,
    );
    if (first && Number.isFinite(ms)) this.#armDeadline(actor, ms);
    handle.mail.onMail((mail) => this.#read(actor, handle, mail));
    handle.exited.then((exit) => {
      this.#disarmGrace(handle);
      if (actor.handle !== handle) return;
      this.#advance(actor.id, { type: "exit", exit });
      // All that its thread was answered hangs on it.
      if (actor.handle === handle) actor.handle = null;
    });
    this.#relieve();
  }

  /** Where agents wait for threads, those that only wait for others are asked for theirs. */
  #relieve(): void {
    const { threads, waiting } = this.#session.host.load();
    let wanted = threads < this.#session.maxThreads ? 0 : waiting;
    if (wanted === 0) return;
    for (const actor of this.#actors.values()) {
      if (actor.child.state !== "waiting" || actor.handle === null) continue;
      if ([...actor.calls.values()].some(({ local }) => local)) continue;
      actor.handle.mail.send({ type: "yield" });
      wanted -= 1;
      if (wanted === 0) return;
    }
  }

  /** The thread ends by itself; where it does not, it is ended. */
  #letGo(actor: ActorRecord): void {
    const { handle } = actor;
    if (!handle) return;
    actor.handle = null;
    this.#armGrace(actor, handle);
    this.#session.gateway.disconnect(actor.id);
  }

  #thread(actor: ActorRecord): ActorHandle {
    const { host, gateway } = this.#session;
    const { spec } = actor;
    const lead = actor.id === MAIN;
    return host.start({
      spec,
      model: gateway.connect(actor.id, lead),
      onDeadLetter: (_letter, why) => this.#warn(`A letter of agent ${actor.id} was not read: ${why}.`),
      services: this.#servicesOf(actor, lead),
    });
  }

  /** What a thread of this actor is answered, as long as it is its thread. */
  #servicesOf(actor: ActorRecord, lead: boolean): Services {
    const { gateway, clock } = this.#session;
    const { attempt } = actor.spec;
    const now = () => clock.now();
    return signed(
      agentServices(actor, {
        ...this.#session,
        life: actor.life.signal,
        now,
        isCurrent: () => actor.spec.attempt === attempt,
        advance: (event) => this.#advance(actor.id, event),
        changed: () => {
          this.changed(actor);
          this.#relieve();
        },
        keeps: () => this.#kept(actor).length > 0,
        rest: (summary) => void this.#rest(actor, summary),
        connect: () => {
          if (gateway.isOver) throw new Error("The model gateway is gone.");
          return gateway.connect(actor.id, lead);
        },
        replied: (reply) => this.#listeners.onReplied(actor, reply),
        lastWords: () => this.#listeners.lastWords(actor),
        ...this.#hookSide(actor),
        denied: ({ toolUse, tool, input }) =>
          this.#listeners.onDenied({
            actor: actor.id,
            tool_name: tool,
            tool_use_id: toolUse,
            tool_input: input,
          }),
      }),
      actor,
      now,
    );
  }

  #hookSide(actor: ActorRecord): HookSide {
    return {
      hooks: this.#session.hooks,
      signal: actor.stopping.signal,
      halt: (reason) => this.stop(actor.id, { status: "cancelled", reason: `A hook ended it: ${reason}` }),
      caller: (cwd) => this.#session.caller(actor.id, cwd),
    };
  }

  /** What runs beside an actor's conversation and keeps it from ending. */
  #kept(actor: ActorRecord): Kept[] {
    const { background, common } = this.#session;
    if (actor.id === MAIN && common.options.background === "wake") return [];
    const commands = background
      .runningOf(actor.id)
      .map(({ title, ended }): Kept => ({ kind: "command", title, ended }));
    const agents = this.all
      .filter(
        // Also one that has ended: until its result is told it is still news.
        ({ errand, spec, delivered }) =>
          errand.background &&
          !delivered &&
          this.delivery.nearest(errand.owner ?? spec.parent)?.id === actor.id,
      )
      .map(({ spec, ended }): Kept => ({ kind: "agent", title: spec.description || spec.type, ended }));
    return [...agents, ...commands];
  }

  /** An actor that has answered gives its thread back, and goes on in another one when there is news. */
  async #rest(actor: ActorRecord, summary: Summary): Promise<void> {
    const { clock, common } = this.#session;
    const { run } = actor;
    const over = () => actor.child.state === "ended" || actor.run !== run;
    this.#advance(actor.id, { type: "rests" });
    const ms = common.limits.backgroundMs;
    actor.said = summary.text;
    const news = await newsBeforeTheEnd(actor, {
      ...{ clock, ms },
      running: () => this.#kept(actor),
      onChange: () => this.changed(actor),
    });
    if (over()) return;
    if (!news) {
      const conclusion = await concluded(actor, summary, this.#hookSide(actor));
      if (over()) return;
      if (conclusion.type === "ends" && !goesOnWithNews(actor))
        return this.#advance(actor.id, { type: "summary", summary: conclusion.summary });
    }
    actor.goesOnAfter(summary.text);
    this.#advance(actor.id, { type: "waited" });
  }

  #read(actor: ActorRecord, handle: ActorHandle, mail: FromAgent): void {
    if (actor.handle !== handle) return;
    actor.lastSignAt = this.#session.clock.now();
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
    const { journal, processes, background, writes, gateway, clock, common } = this.#session;
    // Taken now: before the disk has answered, the next run of the same actor may have begun.
    const { deliver, run, errand } = actor;
    // The main conversation is idle, not gone: what it started in the background goes on, if it is to wake it.
    const idles = actor.id === MAIN && common.options.background === "wake" && !actor.life.signal.aborted;
    const said = end.by === "agent" ? end.summary : actor.salvaged(end.status, end.reason);
    const summary = withLeftBehind(said, idles ? [] : background.release(actor.id));
    actor.summary = summary;
    actor.endedAt = clock.now();
    actor.calls.clear();
    actor.answers.clear();
    actor.reply = null;
    actor.open = null;
    actor.trouble = null;
    actor.stopping.abort(ENDED);
    if (!idles) actor.life.abort(ENDED);
    this.#session.broker.withdraw(actor.id);
    this.#session.spending.purses.release(actor.id);
    writes.releaseAll(actor.id);
    if (end.by === "runtime") gateway.disconnect(actor.id);
    const orphaned = { status: "cancelled", reason: "The agent that asked for it has ended." } as const;
    for (const child of actor.children) {
      // What runs in the background is nobody's hand: its result goes further up.
      if (!this.#actors.get(child)?.errand.background) this.stop(child, orphaned, "foreground");
    }
    // Only the main conversation is asked again at once; what an agent was is in the journal.
    if (actor.id !== MAIN) actor.forget();
    const durationMs = actor.endedAt - (actor.startedAt ?? actor.createdAt);
    const record = journal.append({ type: "summary", actor: actor.id, run, summary, durationMs });
    const stopped = idles ? Promise.resolve() : processes.stopOwner(actor.id);
    const kept = Promise.allSettled([record, stopped]).then((outcomes) => {
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") this.#warn(outcome.reason);
      }
    });
    // A disk or a host that hangs must not hold up an end for ever.
    const written = within(clock, PATIENCE_MS, kept).then(async (inTime) => {
      if (!inTime)
        this.#warn(
          `The end of agent ${actor.id} was not on disk within ${PATIENCE_MS / 1000} s; check the disk.`,
        );
      if (errand.background) await this.delivery.result(actor, run, errand, summary);
      deliver(summary);
      this.#writing.delete(written);
      // A run that began meanwhile still hears what this one did not.
      if (actor.run === run) this.delivery.passOn(actor);
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
