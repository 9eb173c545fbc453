import type { ActorHost, ActorStart } from "../actors/hosts.ts";
import { EngineAwayError } from "../engine/limits.ts";
import { openMessage, sealMessage } from "../engine/messages.ts";
import { SealedBlobs } from "../engine/sealed-blobs.ts";
import { type Clock, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ActorId, SessionId } from "../mailbox/ids.ts";
import { type Packet, reliableChannel } from "../mailbox/rpc/reliable-channel.ts";
import {
  type AttemptId,
  HEARTBEAT_MS,
  nameAttempt,
  type ToRunner,
  ToSession,
  topics,
} from "../mailbox/runners.ts";
import { AttemptOffer } from "./attempt-offer.ts";
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

/** Milliseconds without a sign of its runner after which an attempt is lost; those in which the engine does not answer do not count. */
export const LOST_MS = 45_000;
/** Milliseconds that runners have to connect again when the engine answers, or this machine has slept; those do not count either. */
const RETURN_MS = 2 * HEARTBEAT_MS;
/** Milliseconds without a step of this process: it was asleep, and no runner is to blame. */
const SLEPT_MS = 3 * HEARTBEAT_MS;
/** Milliseconds that a close waits for the engine to remove blobs. What it keeps is removed by its age. */
const DROP_MS = 2_000;
export const MOST_OFFERED = 256;

interface Entry {
  readonly actor: RemoteActor;
  readonly offer: AttemptOffer;
  readonly place: Place;
}

interface Place {
  /** Why it is not offered yet, as a clause; null if it is. */
  held: string | null;
  /** The connection that its runner had is gone. */
  isCutOff: boolean;
}

/** Runs actors on runners: offers each attempt to a pool, answers what it requests, and notices when its runner is gone. */
export class RemoteHost implements ActorHost {
  readonly #options: RemoteHostOptions;
  readonly #actors = new Map<string, Entry>();
  readonly #runners: RunnerList;
  readonly #line: EngineLine;
  /** Since when runners can be heard. */
  #hearsFrom = 0;
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
    const { clock, session } = this.#options;
    const id = { session, actor: spec.id, attempt: spec.attempt };
    const place: Place = { held: this.#whyHeld(start), isCutOff: false };
    const actor = new RemoteActor(start, this.#partsOf(id, place));
    const offer = new AttemptOffer({
      ...{ id, actor, clock, line: this.#line },
      isWanted: () => this.#actors.has(nameAttempt(id)),
      goesFirst: () => spec.attempt > 1 || this.#isOfRunner(spec.parent),
    });
    const entry: Entry = { actor, offer, place };
    this.#actors.set(offer.name, entry);
    this.#hasWorked ||= spec.attempt > 1;
    if (this.#isClosed) actor.terminate();
    else {
      if (this.#withdrawCheck === null) this.#checkLater();
      if (place.held === null) void this.#offer(entry);
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
    const dropped = this.#line.current?.carrier.dropBlobsOf(this.#options.session);
    if (dropped) await within(this.#options.clock, DROP_MS, dropped);
    await this.#line.close();
  }

  #partsOf(attempt: AttemptId, place: Place): RemoteActorParts {
    const { clock, onWarning } = this.#options;
    return {
      ...{ clock, onWarning },
      blobs: new SealedBlobs({
        open: async () => {
          if (place.isCutOff) throw new EngineAwayError("The runner of this attempt was lost.");
          return await this.#line.open();
        },
        ...{ clock, session: attempt.session, isOver: () => this.#isClosed || place.isCutOff },
      }),
      onCleared: () => this.#offerHeld(),
      onEnd: (runner) => {
        const name = nameAttempt(attempt);
        const offer = this.#actors.get(name)?.offer;
        this.#actors.delete(name);
        if (runner !== null) this.#dismiss(attempt, runner);
        void offer?.withdraw();
        this.#offerHeld();
      },
    };
  }

  /**
   * What an agent on a runner has started is not held: that one may wait for it. Of agents that lost their runners in a row, one runs
   * at a time: they would meet the one that killed them again. One of another pool that waits for a runner does no harm.
   */
  #whyHeld({ spec, isSuspect }: ActorStart): string | null {
    const { maxAgents = MOST_OFFERED } = this.#options;
    if (this.#isOfRunner(spec.parent)) return null;
    const offered = [...this.#actors.values()].filter(({ place }) => place.held === null);
    const isTried = ({ actor }: Entry) =>
      actor.isSuspect && (actor.runner !== null || actor.start.spec.pool === spec.pool);
    if (isSuspect && offered.some(isTried))
      return "waits until another agent that lost its runners has done a turn or failed: they are tried one at a time";
    if (offered.length < maxAgents) return null;
    return `waits until another agent has left its runner (at most ${maxAgents} of a session, troupe.runners.maxAgents)`;
  }

  /** Others wait for its agents: it holds a slot, or its edits so far overlap with what other agents do. */
  #isOfRunner(id: ActorId | null): boolean {
    return [...this.#actors.values()].some(({ actor }) => actor.start.spec.id === id);
  }

  #offerHeld(): void {
    if (this.#isClosed) return;
    for (const entry of this.#actors.values()) {
      if (entry.place.held === null) continue;
      entry.place.held = this.#whyHeld(entry.actor.start);
      if (entry.place.held === null) void this.#offer(entry);
    }
  }

  /** One that the engine cannot take now is offered again by the next check. */
  async #offer({ actor, offer }: Entry): Promise<void> {
    try {
      await offer.send();
    } catch (error) {
      // An address that never worked may be wrong, so that is said instead of waiting.
      if (!(error instanceof EngineAwayError && this.#hasWorked)) actor.fail(errorMessage(error));
    }
  }

  async #hasOpened(line: OpenLine): Promise<void> {
    const { session, clock } = this.#options;
    this.#hasWorked = true;
    const topic = topics.session(session);
    await line.carrier.listen(topic, (raw) => void this.#receive(line, topic, raw));
    line.carrier.onUp((isUp) => isUp && this.#engineAnswers());
    this.#hearsFrom = clock.now();
    this.#askWho(line);
  }

  /** Its runners are gone with it, and so is what it was offered. */
  #hasLost(why: string, isLast: boolean): void {
    const actors = [...this.#actors.values()];
    if (actors.length > 0) this.#options.onWarning(isLast ? why : `${why} It is started again.`);
    this.#runners.clear();
    for (const entry of actors) {
      const { actor, offer, place } = entry;
      if (actor.runner !== null) {
        place.isCutOff = true;
        actor.lose();
      } else if (isLast && place.held === null) actor.fail(why);
      else {
        offer.forget();
        if (place.held === null) void this.#offer(entry);
      }
    }
  }

  /** It may have been away, and may have lost what it had. */
  #engineAnswers(): void {
    this.#hearsFrom = this.#options.clock.now() + RETURN_MS;
    this.#runners.noteAway();
    this.#askWho();
    for (const entry of this.#actors.values()) {
      entry.actor.channel?.resend();
      if (entry.place.held === null) void this.#offer(entry);
    }
  }

  async #receive(line: OpenLine, topic: string, raw: string): Promise<void> {
    const { session } = this.#options;
    const { carrier, sealer } = line;
    const sealerOf = (id: string) => (id === session ? sealer : null);
    const opened = await openMessage(carrier, sealerOf, topic, raw, true).catch(() => null);
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
      case "packet": {
        const { session: of, actor, attempt } = message;
        this.#packet({ session: of, actor, attempt }, message.runner, message.packet);
        break;
      }
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
    if (actor === undefined || (actor.runner !== null && actor.runner !== runner)) {
      this.#dismiss(attempt, runner);
      return;
    }
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
    const now = this.#options.clock.now();
    const isUp = this.#line.current?.carrier.isUp ?? false;
    if (!isUp || now - this.#checkedAt > SLEPT_MS) {
      this.#hearsFrom = now + RETURN_MS;
      this.#runners.noteAway();
    }
    const heardFrom = Math.max(this.#hearsFrom, this.#checkedAt);
    let isAnyWaiting = false;
    for (const entry of [...this.#actors.values()]) {
      const { actor, offer, place } = entry;
      if (actor.runner !== null) {
        if (actor.addSilence(heardFrom, now) > LOST_MS) actor.lose();
        continue;
      }
      if (place.held !== null) {
        actor.wait(place.held);
        continue;
      }
      isAnyWaiting = true;
      if (offer.isDue) void this.#offer(entry);
      const why = isUp ? this.#runners.whyWaits(offer.pool, this.#line.current?.isOurs) : this.#line.whyAway;
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
}
