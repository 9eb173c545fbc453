import type { ActorHost, ActorStart } from "../actors/hosts.ts";
import { dropParts } from "../engine/blob-parts.ts";
import type { Carrier } from "../engine/carrier.ts";
import { EngineAwayError } from "../engine/limits.ts";
import { packSealed, receiveMessage, sealMessage } from "../engine/messages.ts";
import { SealedBlobs } from "../engine/sealed-blobs.ts";
import type { Clock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ActorId, SessionId } from "../mailbox/ids.ts";
import type { ActorSpec } from "../mailbox/messages.ts";
import { type Packet, reliableChannel } from "../mailbox/rpc/reliable-channel.ts";
import {
  type AttemptId,
  HEARTBEAT_MS,
  nameAttempt,
  nameJob,
  type OfferedSpec,
  type ToRunner,
  ToSession,
  topics,
} from "../mailbox/runners.ts";
import { digestKit, packKit, withoutKit } from "../mailbox/spec-kit.ts";
import { type EngineConnection, EngineLine, type OpenLine } from "./engine-line.ts";
import { RemoteActor, type RemoteActorParts } from "./remote-actor.ts";
import { RunnerList } from "./runner-list.ts";

export interface RemoteHostOptions {
  readonly session: SessionId;
  /** Opens the engine, with the first actor that needs it. Rejects with a sentence if that cannot be done at all. */
  connect(signal: AbortSignal): Promise<EngineConnection>;
  readonly clock: Clock;
  /** Agents that are offered to runners at the same time (default 256); others wait. */
  readonly maxAgents?: number;
  onWarning(message: string): void;
}

/** Milliseconds without a sign of its runner after which an attempt is lost, if the engine answers. */
export const LOST_MS = 45_000;
/** Milliseconds without a step of this process: it was asleep, and no runner is to blame. */
const SLEPT_MS = 3 * HEARTBEAT_MS;
/** Milliseconds after which an attempt that no runner has begun is offered again: the engine may have lost it. */
const OFFER_AGAIN_MS = 30_000;
/** Milliseconds after which an attempt that a runner has taken and not begun is offered as another job: the runner died with it. */
const TAKEN_MS = 30_000;
export const MOST_OFFERED = 256;

interface Waiting {
  readonly pool: string;
  readonly name: string;
  /** It is one too many, and is offered when another one has ended. */
  isHeld: boolean;
  /** The ID under which it is offered, and how many it has had. */
  job: string;
  jobs: number;
  /** Its spec, sealed for that job, and the blob that holds it if it is large. */
  sealed: string | null;
  blob: string | null;
  /** When the engine last took it; null if it has not. */
  offeredAt: number | null;
  /** When that job was first seen to be a runner's; null if it was not. */
  takenAt: number | null;
  /** The connection that its runner had is gone. */
  isCutOff: boolean;
}

/** Runs actors on runners: offers each attempt to a pool, answers what it requests, and notices when its runner is gone. */
export class RemoteHost implements ActorHost {
  readonly #options: RemoteHostOptions;
  readonly #actors = new Map<string, { readonly actor: RemoteActor; readonly waiting: Waiting }>();
  readonly #runners: RunnerList;
  readonly #line: EngineLine;
  /** Silence before that is not counted. */
  #countsFrom = 0;
  #checkedAt = 0;
  #withdrawCheck: (() => void) | null = null;
  readonly #sending = new Set<Promise<void>>();
  #isClosed = false;
  /** The engine has answered this session, or the process before that it resumes. */
  #hasWorked = false;

  constructor(options: RemoteHostOptions) {
    this.#options = options;
    this.#runners = new RunnerList(options.clock);
    this.#line = new EngineLine({
      ...options,
      onOpen: (line) => this.#hasOpened(line),
      onLost: (why, isLast) => this.#hasLost(why, isLast),
    });
  }

  start(start: ActorStart): RemoteActor {
    const { spec } = start;
    const name = nameAttempt(this.#idOf(spec));
    const waiting: Waiting = {
      ...{ pool: spec.pool ?? "default", name, isHeld: this.#isFull(spec), job: nameJob(name, 1), jobs: 1 },
      ...{ sealed: null, blob: null, offeredAt: null, takenAt: null, isCutOff: false },
    };
    const actor = new RemoteActor(start, this.#partsOf(spec, waiting));
    this.#actors.set(waiting.name, { actor, waiting });
    this.#hasWorked ||= spec.attempt > 1;
    if (this.#isClosed) actor.terminate();
    else {
      if (this.#withdrawCheck === null) this.#checkLater();
      if (!waiting.isHeld) void this.#offer(actor, waiting);
    }
    return actor;
  }

  warm(): void {}

  load() {
    const all = [...this.#actors.values()];
    const threads = all.filter(({ actor }) => actor.runner !== null).length;
    return { threads, waiting: all.length - threads };
  }

  /** Its actors exit as `terminated`, and their runners are notified if the engine answers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { actor } of [...this.#actors.values()]) actor.terminate();
    this.#withdrawCheck?.();
    this.#line.stopOpening();
    await Promise.all(this.#sending);
    // What this process, or one before it that was killed, has put and its runners have not taken.
    await this.#line.current?.carrier.dropBlobsOf(this.#options.session).catch(() => {});
    await this.#line.close();
  }

  #partsOf(spec: ActorSpec, waiting: Waiting): RemoteActorParts {
    const attempt = this.#idOf(spec);
    const { clock, onWarning } = this.#options;
    return {
      ...{ clock, onWarning },
      blobs: new SealedBlobs({
        open: async () => {
          if (waiting.isCutOff) throw new EngineAwayError("The runner of this attempt was lost.");
          return await this.#line.open();
        },
        ...{ clock, session: attempt.session, isOver: () => this.#isClosed || waiting.isCutOff },
      }),
      onEnd: (runner) => {
        this.#actors.delete(waiting.name);
        if (runner !== null) this.#dismiss(attempt, runner);
        // The engine does not remove one that a runner has; the runner does.
        if (waiting.offeredAt !== null) void this.#withdraw(waiting);
        this.#offerHeld();
      },
    };
  }

  /** What another agent of a runner has started is not held: that one may wait for it. */
  #isFull({ parent }: ActorSpec): boolean {
    const { maxAgents = MOST_OFFERED } = this.#options;
    const all = [...this.#actors.values()];
    const offered = all.filter(({ waiting }) => !waiting.isHeld).length;
    return offered >= maxAgents && !this.#isOfRunner(parent);
  }

  /** Others wait for it: its parent holds a slot, or its edits so far overlap with what other agents do. */
  #goesFirst({ parent, attempt }: ActorSpec): boolean {
    return attempt > 1 || this.#isOfRunner(parent);
  }

  #isOfRunner(id: ActorId | null): boolean {
    return [...this.#actors.values()].some(({ actor }) => actor.start.spec.id === id);
  }

  #offerHeld(): void {
    if (this.#isClosed) return;
    for (const { actor, waiting } of this.#actors.values()) {
      if (!waiting.isHeld || this.#isFull(actor.start.spec)) continue;
      waiting.isHeld = false;
      void this.#offer(actor, waiting);
    }
  }

  /** Repeatable: the engine ignores an ID that it has. One that it cannot take now is offered again by the next check. */
  async #offer(actor: RemoteActor, waiting: Waiting): Promise<void> {
    const { session, clock } = this.#options;
    const { spec, elsewhere } = actor.start;
    const { pool, name } = waiting;
    try {
      if (elsewhere === null) throw new Error("Nothing here offers agents to runners.");
      const line = await this.#line.open();
      const { carrier, sealer } = line;
      if (actor.runner !== null || !this.#actors.has(name)) return;
      await this.#leaveTaken(carrier, waiting);
      // Another connection has another key, and its engine knows nothing of this one.
      if (this.#line.current !== line) return;
      const { job } = waiting;
      const seal = () => {
        const offered: OfferedSpec = {
          ...this.#idOf(spec),
          ...{ spec: withoutKit(spec), kit: digestKit(packKit(spec)) },
          rules: actor.sendRules(),
          ...elsewhere.offer,
        };
        return sealer.seal(job, JSON.stringify(offered));
      };
      // The same text has the same blob, which the engine may have lost, and is not sent twice.
      waiting.sealed ??= seal();
      const { raw: body, blob } = await packSealed(carrier, session, waiting.sealed);
      waiting.blob = blob;
      await carrier.offer(pool, { id: job, body }, this.#goesFirst(spec));
      if (this.#line.current === line) waiting.offeredAt = clock.now();
      // It may have ended since then.
      if (!this.#actors.has(name)) await this.#withdraw(waiting);
    } catch (error) {
      // An address that never worked may be wrong, so that is said instead of waiting.
      if (!(error instanceof EngineAwayError && this.#hasWorked)) actor.fail(errorMessage(error));
    }
  }

  /** The runner of the old job may still board: the first that does has the attempt, and the other one ends. */
  async #leaveTaken(carrier: Carrier, waiting: Waiting): Promise<void> {
    const { pool, name, job, offeredAt } = waiting;
    if (offeredAt === null || !(await carrier.isTaken(pool, job))) return;
    const now = this.#options.clock.now();
    waiting.takenAt ??= now;
    if (now - Math.max(waiting.takenAt, this.#countsFrom) < TAKEN_MS) return;
    waiting.jobs += 1;
    waiting.job = nameJob(name, waiting.jobs);
    waiting.takenAt = null;
    waiting.sealed = null;
  }

  async #withdraw({ pool, job, blob }: Waiting): Promise<void> {
    const carrier = this.#line.current?.carrier;
    await carrier?.withdraw(pool, job).catch(() => {});
    if (blob !== null && carrier !== undefined) await dropParts(carrier, blob);
  }

  async #hasOpened(line: OpenLine): Promise<void> {
    const { session, clock } = this.#options;
    this.#hasWorked = true;
    const topic = topics.session(session);
    await line.carrier.listen(topic, (raw) => void this.#receive(line, topic, raw));
    line.carrier.onUp((isUp) => isUp && this.#engineAnswers());
    this.#countsFrom = clock.now();
    this.#askWho(line);
  }

  /** Its runners are gone with it, and so is what it was offered. */
  #hasLost(why: string, isLast: boolean): void {
    const actors = [...this.#actors.values()];
    if (actors.length > 0) this.#options.onWarning(isLast ? why : `${why} It is started again.`);
    this.#runners.clear();
    for (const { actor, waiting } of actors) {
      if (actor.runner !== null) {
        waiting.isCutOff = true;
        actor.lose();
      } else if (isLast && !waiting.isHeld) actor.fail(why);
      else {
        Object.assign(waiting, { sealed: null, blob: null, offeredAt: null, takenAt: null });
        if (!waiting.isHeld) void this.#offer(actor, waiting);
      }
    }
  }

  /** It may have been away, and may have lost what it had. */
  #engineAnswers(): void {
    this.#countsFrom = this.#options.clock.now();
    this.#runners.noteAway();
    this.#askWho();
    for (const { actor, waiting } of this.#actors.values()) {
      actor.channel?.resend();
      if (!waiting.isHeld) void this.#offer(actor, waiting);
    }
  }

  async #receive(line: OpenLine, topic: string, raw: string): Promise<void> {
    const { session } = this.#options;
    const { carrier, sealer } = line;
    const opened = await receiveMessage(carrier, (id) => (id === session ? sealer : null), topic, raw).catch(
      () => null,
    );
    const parsed = opened && ToSession.safeParse(opened.value);
    if (!parsed?.success || this.#line.current !== line) return;
    this.#line.noteSpoken();
    const message = parsed.data;
    switch (message.type) {
      case "here":
        this.#runners.note(message.runner);
        break;
      case "beat":
        this.#runners.note(message.runner);
        for (const attempt of message.attempts) this.#beat(attempt, message.runner.id);
        break;
      case "packet":
        this.#packet(attemptOf(message), message.runner, message.packet);
        break;
      default:
        message satisfies never;
    }
  }

  #beat(attempt: AttemptId, runner: string): void {
    const actor = this.#actors.get(nameAttempt(attempt))?.actor;
    if (actor?.runner === runner) actor.noteBeat();
    else this.#dismiss(attempt, runner);
  }

  /** The first runner that sends anything of an attempt has it. */
  #packet(attempt: AttemptId, runner: string, packet: Packet): void {
    const actor = this.#actors.get(nameAttempt(attempt))?.actor;
    if (actor === undefined || (actor.runner !== null && actor.runner !== runner))
      this.#dismiss(attempt, runner);
    else this.#deliver(actor, attempt, runner, packet);
  }

  #deliver(actor: RemoteActor, attempt: AttemptId, runner: string, packet: Packet): void {
    if (actor.channel === null) {
      const send = (answer: Packet) => this.#send(runner, { type: "packet", ...attempt, packet: answer });
      actor.serveOn(reliableChannel({ clock: this.#options.clock, send }), runner);
    }
    actor.channel?.receive(packet);
  }

  /** No actor of this session has that attempt. */
  #dismiss({ session, actor, attempt }: AttemptId, runner: string): void {
    this.#send(runner, { type: "over", session, actor, attempt });
  }

  #send(runner: string, message: ToRunner): void {
    const { session } = this.#options;
    const topic = topics.runner(runner);
    // A runner that has sent anything is gone with its connection.
    const line = this.#line.current;
    if (line === null) return;
    const { carrier, sealer } = line;
    const send = async () => {
      await carrier.publish(
        topic,
        await sealMessage(carrier, sealer, session, topic, JSON.stringify(message)),
      );
    };
    // What is lost is sent again.
    const sent = send().catch(() => {});
    this.#sending.add(sent);
    void sent.then(() => this.#sending.delete(sent));
  }

  #checkLater(): void {
    this.#checkedAt = this.#options.clock.now();
    this.#withdrawCheck = this.#options.clock.after(HEARTBEAT_MS, () => {
      if (this.#isClosed) return;
      this.#check();
      this.#checkLater();
    });
  }

  #check(): void {
    const { clock, maxAgents = MOST_OFFERED } = this.#options;
    const now = clock.now();
    const isUp = this.#line.current?.carrier.isUp ?? false;
    if (!isUp || now - this.#checkedAt > SLEPT_MS) {
      this.#countsFrom = now;
      this.#runners.noteAway();
    }
    let isAnyWaiting = false;
    for (const { actor, waiting } of [...this.#actors.values()]) {
      if (actor.runner !== null) {
        if (now - Math.max(actor.beatAt, this.#countsFrom) > LOST_MS) actor.lose();
        continue;
      }
      if (waiting.isHeld) {
        actor.wait(
          `waits until another agent has left its runner (at most ${maxAgents} of a session, troupe.runners.maxAgents)`,
        );
        continue;
      }
      isAnyWaiting = true;
      if (waiting.offeredAt === null || now - waiting.offeredAt > OFFER_AGAIN_MS)
        void this.#offer(actor, waiting);
      const why = isUp
        ? this.#runners.whyWaits(waiting.pool, this.#line.current?.isOurs)
        : this.#line.whyAway;
      if (why !== null) actor.wait(why);
    }
    if (isAnyWaiting && isUp) this.#askWho();
  }

  #askWho(line = this.#line.current): void {
    const { session } = this.#options;
    if (line === null) return;
    const { carrier, sealer } = line;
    this.#runners.noteAsked();
    const text = JSON.stringify({ type: "who", topic: topics.session(session) });
    void sealMessage(carrier, sealer, session, topics.runners, text)
      .then((sealed) => carrier.publish(topics.runners, sealed))
      .catch(() => {});
  }

  #idOf({ id, attempt }: ActorSpec): AttemptId {
    return { session: this.#options.session, actor: id, attempt };
  }
}

function attemptOf({ session, actor, attempt }: AttemptId): AttemptId {
  return { session, actor, attempt };
}
