import { statfs } from "node:fs/promises";
import { loadavg } from "node:os";
import type { Carrier, LendSlot, OfferedAttempt, Taking } from "../engine/carrier.ts";
import { openMessage, type Sealer, sealMessage } from "../engine/messages.ts";
import { SealedBlobs } from "../engine/sealed-blobs.ts";
import { sweepTemporaryFolders } from "../journal/temporary-folder.ts";
import { errorMessage } from "../lib/errors.ts";
import type { SessionId } from "../mailbox/ids.ts";
import {
  HEARTBEAT_MS,
  isJobOf,
  type LentModel,
  nameAttempt,
  OfferedSpec,
  type RunnerInfo,
  ToRunner,
  ToRunners,
  type ToSession,
  topics,
} from "../mailbox/runners.ts";
import type { Gateway, GatewayNotice } from "../model/client.ts";
import { type AttemptParts, RunnerAttempt } from "./attempt.ts";
import type { RunnerFiles } from "./attempt-files.ts";
import { KnownKits } from "./known-kits.ts";
import { LentGateways } from "./lent-gateways.ts";
import { Slot } from "./slot.ts";

export interface RunnerOptions extends Omit<AttemptParts, "gateway" | "kits" | "blobsOf" | "slot"> {
  readonly files: RunnerFiles;
  /** Unique among all runners, and part of its topic. */
  readonly id: string;
  readonly carrier: Carrier;
  /** Returns what opens and seals the messages of a session: every holder of the fleet's key can. */
  sealerOf(session: string): Sealer;
  readonly gateway: Pick<Gateway, "connect" | "disconnect" | "onNotice">;
  /** Opens a gateway that asks models with what a session has lent. */
  openGateway(lent: LentModel): Gateway;
  readonly pools: readonly string[];
  readonly slots: number;
  /** What is known of commands' confinement here. */
  readonly sandboxState: string;
  /** A directory on the disk that must have room. */
  readonly trees: string;
  /** It ends after its first attempt. */
  readonly once: boolean;
  /** Receives lines for its operator. */
  onLine(line: string): void;
  /** Returns the free bytes of a directory's disk; replaced in tests. */
  readonly freeBytes?: (dir: string) => Promise<number>;
}

export interface Runner {
  /** Takes nothing new and parks what it has. A second call ends that immediately. */
  drain(): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

/** It takes nothing if its disk has less. */
const LEAST_FREE_BYTES = 2 * 1024 ** 3;
/** Milliseconds for which it takes nothing after it could not prepare the files of an agent; doubled each time, up to the most. */
const REST_MS = 10_000;
const MOST_REST_MS = 120_000;
/** Milliseconds between two lines about its state, if that does not change. */
const HEALTH_MS = 60_000;
/** Milliseconds between two looks at whether its clones are over their limit. */
const PRUNE_MS = 60 * 60_000;
/** Milliseconds that its end waits for sessions to hear of the ends of their agents. */
const LEAVE_MS = 5_000;
/** Attempts that have ended, and whose sessions have not heard of it. */
const MOST_LEFT = 200;

/** Takes attempts from an engine, and runs each in a process of its own. */
export async function openRunner(options: RunnerOptions): Promise<Runner> {
  const runner = new OpenRunner(options);
  try {
    await runner.open();
  } catch (error) {
    // What it has opened so far would keep this process alive.
    runner.drain();
    await runner.ended;
    throw error;
  }
  return runner;
}

class OpenRunner implements Runner {
  readonly #options: RunnerOptions;
  readonly #attempts = new Map<string, RunnerAttempt>();
  readonly #ended = Promise.withResolvers<void>();
  readonly ended = this.#ended.promise;
  readonly #told = new Set<string>();
  readonly #lent: LentGateways;
  readonly #kits = new KnownKits();
  #taking: Taking | null = null;
  /** The one that `once` is about. Another one is taken only while this one has lent its slot, or if it never boarded. */
  #first: RunnerAttempt | null = null;
  #isDraining = false;
  #isLeaving = false;
  #hasRoom = true;
  /** Agents in a row whose files it could not prepare, and why. */
  #faults = 0;
  #fault = "";
  #restsUntil = Number.NEGATIVE_INFINITY;
  #done = 0;
  #refused = 0;
  #prunesAt = Number.NEGATIVE_INFINITY;
  #line = "";
  #lineAt = Number.NEGATIVE_INFINITY;
  #withdraw = () => {};

  constructor(options: RunnerOptions) {
    this.#options = options;
    const onNotice = (notice: GatewayNotice) => {
      if (notice.type !== "usage") return;
      for (const attempt of this.#attempts.values())
        if (attempt.offer.actor === notice.actor && !attempt.isOver) attempt.pay(notice);
    };
    options.gateway.onNotice(onNotice);
    this.#lent = new LentGateways({ open: options.openGateway, onNotice });
  }

  async open(): Promise<void> {
    const { carrier, id, forks } = this.#options;
    const own = topics.runner(id);
    await carrier.listen(own, (raw) => void this.#receive(own, raw));
    await carrier.listen(topics.runners, (raw) => void this.#respond(raw));
    carrier.onUp((isUp) => {
      if (isUp) for (const attempt of this.#attempts.values()) attempt.resend();
      this.#showHealth();
    });
    void sweepTemporaryFolders();
    forks.warm();
    await this.#beat();
  }

  drain(): void {
    const { name } = this.#options;
    if (this.#isDraining) for (const one of this.#active) one.abandon(`runner ${name} was stopped`);
    this.#isDraining = true;
    void this.#taking?.pause().catch(() => {});
    for (const attempt of this.#active) attempt.park(`runner ${name} is shutting down`);
    this.#showHealth();
    this.#leaveIfIdle();
  }

  get #active(): readonly RunnerAttempt[] {
    return [...this.#attempts.values()].filter(({ isOver }) => !isOver);
  }

  get #working(): readonly RunnerAttempt[] {
    return this.#active.filter(({ isWaiting }) => !isWaiting);
  }

  get #info(): RunnerInfo {
    const { id, name, pools, slots, version, sandboxState } = this.#options;
    const rests = this.#rests;
    return {
      ...{ id, name, pools: [...pools], slots, version, sandbox: sandboxState },
      ...(rests === null ? {} : { rests }),
      ...{ used: this.#working.length, draining: this.#isDraining, load: loadavg()[0] ?? 0 },
    };
  }

  /** Resolves when the attempt has ended, which frees its slot. */
  async #take({ id, body }: OfferedAttempt, lend: LendSlot): Promise<void> {
    const { carrier, sealerOf, onLine, clock } = this.#options;
    const opened = await openMessage(carrier, sealerOf, id, body).catch((error: unknown) =>
      errorMessage(error),
    );
    if (typeof opened === "string") return onLine(`The attempt ${id} could not be fetched: ${opened}.`);
    if (opened === null)
      return this.#refuse("key", `Refused an attempt that was not sealed with this fleet's key (${id}).`);
    const parsed = OfferedSpec.safeParse(opened.value);
    const offer = parsed.success ? parsed.data : null;
    const name = offer === null ? "" : nameAttempt(offer);
    if (offer === null || offer.session !== opened.session || !isJobOf(name, id))
      return this.#refuse(
        "form",
        `Refused an attempt of another version of Troupe, or a faulty one (${id}).`,
      );
    if (this.#attempts.has(name)) return;
    for (const older of this.#active) {
      if (older.offer.session !== offer.session || older.offer.actor !== offer.actor) continue;
      older.terminate();
      await older.ended;
    }
    const blobsOf = (session: string) =>
      new SealedBlobs({
        open: async () => ({ carrier, sealer: sealerOf(session) }),
        ...{ clock, session },
        isOver: () => attempt.isOver,
      });
    // An attempt that has ended is known for a while, and what it was lent is not.
    const { lent, ...own } = offer;
    const lease = lent === undefined ? null : this.#lent.take(lent);
    const gateway = lease?.gateway ?? this.#options.gateway;
    const slot = new Slot(clock, (isLent) => {
      lend(isLent);
      this.#showHealth();
    });
    const shared = { gateway, blobsOf, slot, kits: this.#kits };
    const attempt = new RunnerAttempt(own, { ...this.#options, ...shared }, (packet) => {
      void this.#send(offer.session, { type: "packet", ...attempt.id, runner: this.#options.id, packet });
    });
    this.#attempts.set(name, attempt);
    if (this.#first?.hasBoarded !== true) this.#first = attempt;
    this.#showHealth();
    // It came while that changed.
    if (this.#isDraining) attempt.park("its runner is shutting down");
    if (!this.#hasRoom) attempt.park("the disk of its runner is full");
    await attempt.run();
    lease?.release();
    this.#done += 1;
    await this.#noteFault(attempt);
    this.#forgetLeft();
    this.#showHealth();
    if (!this.#isDraining) this.#options.forks.warm();
    // Its next attempt may come here.
    if (attempt.isContinued && attempt === this.#first) this.#first = null;
    if (this.#options.once && attempt.hasBoarded && attempt === this.#first) {
      this.#isDraining = true;
      // Before this slot is free.
      await this.#taking?.pause().catch(() => {});
      // This runner does not take what they wait for.
      for (const other of this.#active) other.park(`runner ${this.#options.name} has run its agent`);
    }
    this.#leaveIfIdle();
  }

  /** Others of its pool are free less often than a runner whose agents end immediately, so it lets them have the next ones. */
  async #noteFault({ fault, hasFiles }: RunnerAttempt): Promise<void> {
    if (hasFiles) this.#faults = 0;
    const now = this.#options.clock.now();
    if (fault === null || now < this.#restsUntil) return;
    this.#fault = fault;
    this.#restsUntil = now + Math.min(REST_MS * 2 ** this.#faults, MOST_REST_MS);
    this.#faults += 1;
    await this.#takeIfReady();
  }

  /** Forgets attempts whose sessions know their ends, and the oldest of too many others. */
  #forgetLeft(): void {
    const over = [...this.#attempts].filter(([, { isOver }]) => isOver);
    for (const [at, [name, attempt]] of over.entries()) {
      if (!attempt.isThrough && over.length - at <= MOST_LEFT) continue;
      this.#forget(name, attempt);
    }
  }

  #forget(name: string, attempt: RunnerAttempt): void {
    attempt.close();
    this.#attempts.delete(name);
  }

  /** Counts what is never run; the first of a sort is reported. */
  #refuse(sort: string, line: string): void {
    this.#refused += 1;
    if (!this.#told.has(sort)) this.#options.onLine(`${line} More of them are counted, and not reported.`);
    this.#told.add(sort);
    this.#showHealth();
  }

  async #receive(topic: string, raw: string): Promise<void> {
    const { carrier, sealerOf } = this.#options;
    const opened = await openMessage(carrier, sealerOf, topic, raw, true).catch(() => undefined);
    if (opened === undefined) return;
    if (opened === null)
      return this.#refuse("message", "Dropped a message that was not sealed by its session.");
    const parsed = ToRunner.safeParse(opened.value);
    if (!parsed.success || parsed.data.session !== opened.session) return;
    const message = parsed.data;
    const attempt = this.#attempts.get(nameAttempt(message));
    if (attempt === undefined) return;
    if (message.type === "packet") attempt.receive(message.packet);
    else if (!attempt.isOver) attempt.dismiss();
    else this.#forget(nameAttempt(message), attempt);
  }

  /** Says that it is there, to the session that asks. */
  async #respond(raw: string): Promise<void> {
    const { carrier, sealerOf } = this.#options;
    const opened = await openMessage(carrier, sealerOf, topics.runners, raw).catch(() => null);
    const parsed = ToRunners.safeParse(opened?.value);
    if (!parsed.success || opened === null) return;
    await this.#send(opened.session, { type: "here", runner: this.#info }, parsed.data.topic);
  }

  async #send(
    session: string,
    message: ToSession,
    topic = topics.session(session as SessionId),
  ): Promise<void> {
    const { carrier, sealerOf } = this.#options;
    try {
      const text = JSON.stringify(message);
      await carrier.publish(topic, await sealMessage(carrier, sealerOf(session), session, topic, text));
    } catch {
      // What matters is sent again.
    }
  }

  async #beat(): Promise<void> {
    const { clock, freeBytes = freeBytesOf, trees } = this.#options;
    this.#withdraw = clock.after(HEARTBEAT_MS, () => void this.#beat());
    const boarded = this.#active.filter(({ hasBoarded }) => hasBoarded);
    const sessions = Map.groupBy(boarded, ({ offer }) => offer.session);
    for (const [session, attempts] of sessions)
      void this.#send(session, { type: "beat", runner: this.#info, attempts: attempts.map(({ id }) => id) });
    for (const attempt of this.#active) attempt.checkSession();
    this.#forgetLeft();
    void this.#prune();
    const free = await freeBytes(trees).catch(() => Number.POSITIVE_INFINITY);
    this.#hasRoom = free >= LEAST_FREE_BYTES;
    if (this.#isLeaving) return;
    await this.#takeIfReady();
    this.#showHealth();
  }

  /** Beside what runs, and also while it takes nothing: its disk may be full of clones. */
  async #prune(): Promise<void> {
    const { clock, files, onLine } = this.#options;
    if (clock.now() < this.#prunesAt) return;
    this.#prunesAt = Number.POSITIVE_INFINITY;
    await files.prune().catch((error: unknown) => {
      onLine(`Unused clones could not be removed: ${errorMessage(error)}.`);
    });
    this.#prunesAt = clock.now() + PRUNE_MS;
  }

  /** Why it takes nothing for a while, as a clause. */
  get #rests(): string | null {
    if (!this.#hasRoom) return "less than 2 GB of its disk are free";
    if (this.#options.clock.now() >= this.#restsUntil) return null;
    return `it could not prepare the files of an agent (${this.#fault})`;
  }

  async #takeIfReady(): Promise<void> {
    const { carrier, pools, slots, once } = this.#options;
    if (this.#isDraining) return;
    if (this.#rests !== null) await this.#taking?.pause().catch(() => {});
    else if (this.#taking !== null) await this.#taking.resume().catch(() => {});
    else this.#taking = carrier.take(pools, once ? 1 : slots, (one, _, lend) => this.#take(one, lend));
  }

  #leaveIfIdle(): void {
    if (this.#isDraining && this.#active.length === 0 && !this.#isLeaving) void this.#leave();
  }

  async #leave(): Promise<void> {
    const { carrier, clock } = this.#options;
    this.#isLeaving = true;
    this.#withdraw();
    const since = clock.now();
    while (clock.now() - since < LEAVE_MS && [...this.#attempts.values()].some(({ isThrough }) => !isThrough))
      await new Promise<void>((resolve) => clock.after(50, resolve));
    for (const attempt of this.#attempts.values()) attempt.close();
    await this.#taking?.close().catch(() => {});
    this.#options.forks.close();
    await carrier.close().catch(() => {});
    this.#ended.resolve();
  }

  #showHealth(): void {
    if (this.#isLeaving) return;
    const { name, pools, slots, clock, onLine, carrier } = this.#options;
    const rests = this.#rests;
    const waiting = this.#active.length - this.#working.length;
    const state = [
      ...(waiting === 0 ? [] : [`${waiting} waiting without a slot`]),
      ...(this.#isDraining ? ["shutting down"] : []),
      ...(rests === null ? [] : [`takes nothing: ${rests}`]),
      ...(carrier.isUp ? [] : ["the engine does not answer, or is full"]),
    ];
    const line = [
      `runner ${name} (${pools.join(", ")}): ${this.#working.length} of ${slots} slots, ${this.#done} done`,
      ...(this.#refused === 0 ? [] : [`${this.#refused} refused`]),
      ...state,
    ].join("; ");
    if (line === this.#line && clock.now() - this.#lineAt < HEALTH_MS) return;
    this.#line = line;
    this.#lineAt = clock.now();
    onLine(line);
  }
}

async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
