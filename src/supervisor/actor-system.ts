import { agentDue } from "../features/background/agent-progress.ts";
import { silenceOf } from "../features/watch/judge.ts";
import { startWatch, type Watch, type WatchNews } from "../features/watch/watch.ts";
import { watched } from "../features/watch/watched-record.ts";
import { type ActorId, type CallId, MAIN } from "../mailbox/ids.ts";
import type { LastTurn, Reply } from "../mailbox/messages.ts";
import { type TaskGraph, taskInProgress } from "../mailbox/task-graph.ts";
import type { Session } from "../session/session.ts";
import type { ActorRecord } from "./actor-record.ts";
import { viewOf } from "./actor-view.ts";
import type { EndSide } from "./completion.ts";
import { Delivery } from "./delivery.ts";
import { ENDED, Finalizer } from "./finalizer.ts";
import { finishAnswered } from "./finish-answered.ts";
import { IdleActors } from "./idle-actors.ts";
import { type ChildEvent, type Effect, type Stop, type StopScope, transition } from "./lifecycle.ts";
import { prepareResume } from "./prepare-start.ts";
import { Slots } from "./slots.ts";
import { Threads, type ThreadsPorts } from "./threads.ts";
import type { PermissionDenial, SupervisorEvent } from "./view.ts";

/** Who is told of what happens to actors. */
export interface LivesListeners {
  onEvent(event: SupervisorEvent): void;
  onDenied(denial: PermissionDenial): void;
  /** The main conversation has ended its turn, and there is news for it. */
  onIdle(): void;
  /** A reply wants agents started, before any of it is done. */
  onReplied(actor: ActorRecord, reply: Reply): void;
  lastWords(actor: ActorRecord): LastTurn | null;
}

const ORPHANED: Stop = { status: "cancelled", reason: "The agent that asked for it has ended." };

/**
 * Carries out what the reducer of `children.ts` decides: slots, threads, letters, graces, records. All
 * actors of a session live here, the main conversation among them.
 */
export class ActorSystem {
  readonly #session: Session;
  readonly #listeners: LivesListeners;
  readonly #slots: Slots;
  readonly #actors = new Map<ActorId, ActorRecord>();
  readonly delivery: Delivery;
  readonly #threads: Threads;
  readonly #resting: IdleActors;
  readonly #ends: Finalizer;
  readonly #watch: Watch;
  /** Why nothing happens any more; null: it still does. */
  #leftBecause: string | null = null;
  /** Those that were left before their end. */
  readonly left: ActorRecord[] = [];

  constructor(session: Session, listeners: LivesListeners) {
    this.#session = session;
    this.#listeners = listeners;
    this.#slots = new Slots(session.common.limits.maxAgents, (actor) =>
      this.#advance(actor, { type: "slot" }),
    );
    this.delivery = new Delivery({
      find: (id) => this.#actors.get(id),
      outputs: session.outputs,
      onIdle: () => listeners.onIdle(),
      onWarning: (message) => this.#warn(message),
    });
    const { delivery } = this;
    const advance = (actor: ActorRecord, event: ChildEvent) => this.#advance(actor.id, event);
    const onWarning = (message: string) => this.#warn(message);
    const all = () => this.all;
    this.#threads = new Threads(session, {
      ...{ all, advance, onWarning },
      onText: ({ id }, text, turn) => listeners.onEvent({ type: "text", actor: id, text, turn }),
      lastWords: (actor) => listeners.lastWords(actor),
      side: (actor) => this.#side(actor),
    });
    this.#resting = new IdleActors(session, {
      ...{ all, advance, delivery },
      changed: (actor) => this.changed(actor),
      endSide: (actor) => this.#endSide(actor),
    });
    this.#ends = new Finalizer(session, {
      ...{ delivery, onWarning },
      orphan: (owner) => {
        for (const id of this.#waitedForBy(owner)) this.stop(id, ORPHANED, "foreground");
      },
    });
    this.#watch = this.#startWatch();
  }

  #startWatch(): Watch {
    const { clock, common } = this.#session;
    const { limits } = common;
    return startWatch({
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
    actor.owed.lookUp = () => this.#session.common.knowledge.news(actor);
    const parent = actor.spec.parent === null ? undefined : this.#actors.get(actor.spec.parent);
    parent?.children.push(actor.id);
  }

  /** A new agent, or one that goes on; it runs as soon as it has a slot. */
  start(actor: ActorRecord): void {
    this.add(actor);
    if (this.#leftBecause !== null) return void this.#leaveOne(actor, this.#leftBecause);
    // Not at once, as for all: whoever asked may take it back before anything was started.
    if (actor.id === MAIN) queueMicrotask(() => this.#advance(MAIN, { type: "slot" }));
    else this.#slots.join(actor.id);
    this.changed(actor);
  }

  /** Everything below first, so that nobody is told of a child that is about to be stopped anyway. */
  stop(id: ActorId, stop: Stop, scope: StopScope = "subtree"): void {
    const actor = this.#actors.get(id);
    if (!actor) return;
    const below = scope === "subtree" ? actor.children : this.#waitedForBy(id);
    for (const other of below) this.stop(other, stop, scope);
    if (scope === "subtree") actor.life.abort(ENDED);
    this.#advance(id, { type: "stop", stop });
  }

  /** Not by their place in the tree: an agent that was set going again works for whoever did that. */
  #waitedForBy(owner: ActorId): ActorId[] {
    const waitedFor = ({ errand, child }: ActorRecord) =>
      errand.owner === owner && !errand.background && child.state !== "ended";
    return this.all.filter(waitedFor).map(({ id }) => id);
  }

  /** Gives the actor's slot back while `other` is awaited; answers when the actor may run again. */
  async whileWaiting<T>(actor: ActorRecord, other: Promise<T>): Promise<T> {
    const { run } = actor;
    this.#advance(actor.id, { type: "wait" });
    this.#threads.relieve();
    try {
      return await other;
    } finally {
      // A wait of an earlier run must not wake this one.
      if (actor.run === run)
        await new Promise<void>((resolve) => {
          actor.goOn.push(resolve);
          this.#advance(actor.id, { type: "waited" });
        });
    }
  }

  /**
   * Leaves everybody as they are: nothing more happens to them here, and none of it is recorded. Whoever waits for one
   * is answered, in this process only.
   */
  detach(reason: string): void {
    this.#leftBecause ??= reason;
    this.#session.journal.leave();
    this.#watch.stop();
    this.#threads.close();
    for (const actor of this.all) if (actor.child.state !== "ended") this.#leaveOne(actor, reason);
  }

  #leaveOne(actor: ActorRecord, reason: string): void {
    const { clock, broker } = this.#session;
    const summary = actor.salvaged("cancelled", reason);
    this.left.push(actor);
    actor.child = { state: "ended" };
    actor.summary = summary;
    actor.endedAt = clock.now();
    actor.stopping.abort(ENDED);
    actor.life.abort(ENDED);
    broker.withdraw(actor.id);
    actor.handle?.terminate();
    actor.deliver(summary);
    this.changed(actor);
  }

  /** Stops whoever is still there and waits for every summary to be written. `asleep`: they were never set going. */
  async close(reason: string, asleep: ReadonlySet<ActorId>): Promise<void> {
    const open = () => this.all.filter(({ id, child }) => child.state !== "ended" && !asleep.has(id));
    // Somebody may be set going while the others end.
    for (let left = open(); left.length > 0; left = open()) {
      for (const actor of left) this.stop(actor.id, { status: "cancelled", reason });
      await Promise.all(left.map((actor) => actor.ended));
    }
    await this.#ends.settled();
    this.#threads.close();
    this.#watch.stop();
  }

  /** Resolves when every end so far is durable and delivered. */
  settled(): Promise<void> {
    return this.#ends.settled();
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

  changedBy(id: ActorId): void {
    const actor = this.#actors.get(id);
    if (actor) this.changed(actor);
  }

  changed(actor: ActorRecord): void {
    this.#listeners.onEvent({ type: "agent", view: viewOf(actor) });
  }

  #advance(id: ActorId, event: ChildEvent): void {
    const actor = this.#actors.get(id);
    if (!actor || this.#leftBecause !== null) return;
    const before = actor.child;
    const { next, effects } = transition(before, event);
    actor.child = next;
    for (const effect of effects) this.#perform(actor, effect);
    // Who waits for its own agents lends them what it has written.
    if (event.type === "wait" || event.type === "rests") this.#session.radar.reconsider();
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
        this.#threads.release(actor);
        break;
      case "go-on":
        for (const go of actor.goOn.splice(0)) go();
        break;
      case "mail-cancel":
        actor.stopping.abort(new Error(effect.reason));
        actor.handle?.mail.send({ type: "cancel", reason: effect.reason });
        break;
      case "arm-grace":
        this.#threads.armGrace(actor);
        break;
      case "terminate":
        actor.handle?.terminate();
        break;
      case "end":
        this.#ends.finalize(actor, effect.end);
        break;
      default:
        effect satisfies never;
    }
  }

  #start(actor: ActorRecord): void {
    const { clock, spending } = this.#session;
    const first = actor.startedAt === null;
    actor.startedAt ??= clock.now();
    spending.purses.begin(actor.id);
    this.#startThread(actor);
    this.#watch.wake();
    if (!first) return;
    const budgeted = spending.purses.deadline(actor.id);
    const own = actor.deadlineMs ?? Number.POSITIVE_INFINITY;
    if (budgeted !== null && budgeted.ms < own) this.#armDeadline(actor, budgeted.ms, budgeted.reason);
    else if (Number.isFinite(own)) this.#armDeadline(actor, own, `It did not end within ${own} ms.`);
  }

  #startThread(actor: ActorRecord): void {
    const { answerBefore } = actor;
    actor.answerBefore = null;
    if (answerBefore !== null) {
      void finishAnswered(actor, answerBefore, this.#session, (event) => this.#advance(actor.id, event));
      return;
    }
    const ready = prepareResume(actor, this.#session);
    if (ready === null) {
      this.#begin(actor);
      return;
    }
    const { run } = actor;
    void ready.then((failed) => {
      if (actor.run !== run) return;
      // It was stopped meanwhile, and has no thread that could end.
      if (actor.child.state !== "starting")
        this.#advance(actor.id, { type: "exit", exit: { type: "terminated" } });
      else if (failed !== null) this.#advance(actor.id, { type: "not-started", reason: failed });
      else this.#begin(actor);
    });
  }

  #begin(actor: ActorRecord): void {
    const news = this.#session.servers.firstNews(actor);
    if (news !== null) actor.owed.pushNotice(news);
    this.#threads.start(actor);
  }

  #armDeadline(actor: ActorRecord, ms: number, reason: string): void {
    const stop = () => this.stop(actor.id, { status: "timed_out", reason });
    actor.ended.then(this.#session.clock.after(ms, stop));
  }

  /** What the services of an actor need of everybody's lives. */
  #side(actor: ActorRecord): ReturnType<ThreadsPorts["side"]> {
    return {
      ...this.#endSide(actor),
      changed: () => {
        this.changed(actor);
        this.#threads.relieve();
      },
      keeps: () => this.#resting.kept(actor).length > 0,
      rest: (summary) => void this.#resting.rest(actor, summary),
      replied: (reply) => this.#listeners.onReplied(actor, reply),
      lastWords: () => this.#listeners.lastWords(actor),
      whyAbsent: (tool) => this.#session.absenceReason(actor, tool),
      onWarning: (message) => this.#warn(message),
      reportDue: (path) => agentDue(path, this.all, this.#session.outputs),
      lent: () => this.#session.skills?.lent(actor.id) ?? [],
      denied: ({ toolUse, tool, input }) =>
        this.#listeners.onDenied({
          ...{ actor: actor.id, tool_name: tool, tool_use_id: toolUse, tool_input: input },
        }),
    };
  }

  #endSide(actor: ActorRecord): EndSide {
    return {
      conclude: (summary) => this.#session.isolation.mergeBack(actor, summary),
      hooks: this.#session.hooks,
      signal: actor.stopping.signal,
      halt: (reason) => this.stop(actor.id, { status: "cancelled", reason: `A hook ended it: ${reason}` }),
      caller: (cwd) => this.#session.caller(actor.id, cwd),
    };
  }

  #warn(message: string): void {
    this.#listeners.onEvent({ type: "warning", message });
  }
}
