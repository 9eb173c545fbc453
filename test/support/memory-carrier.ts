import type { Carrier, Listening, OfferedAttempt, RunAttempt, Taking } from "../../src/engine/carrier.ts";
import {
  assertName,
  assertText,
  assertTopic,
  blobsOf,
  EngineAwayError,
  nameBlob,
} from "../../src/engine/limits.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { type Scheduler, seededScheduler } from "./scheduler.ts";

/** Probabilities from 0 to 1 for each message to each of its listeners; all 0 without them. */
export interface Faults {
  readonly drop?: number;
  readonly duplicate?: number;
  /** The message leaves the order of its topic. */
  readonly reorder?: number;
  /** The message arrives up to `delayMs` later, by the clock. */
  readonly delay?: number;
  readonly delayMs?: number;
  /** The same attempt is handed to two takers, or to one twice. */
  readonly repeatAttempt?: number;
}

export interface MemoryEngineOptions {
  readonly random?: () => number;
  readonly clock?: Clock;
  readonly faults?: Faults;
}

/** What a party sends is lost, what it should receive is lost, or both. */
export type Cut = "out" | "in" | "both";

interface Party {
  cut: Cut | null;
  isGone: boolean;
  wasUp: boolean;
  readonly onUp: Set<(isUp: boolean) => void>;
}

interface Queued {
  readonly pool: string;
  readonly attempt: OfferedAttempt;
  runner: Party | null;
}

interface Taker {
  readonly party: Party;
  readonly pools: readonly string[];
  readonly slots: number;
  readonly run: RunAttempt;
  running: number;
  isPaused: boolean;
}

interface Listener {
  readonly party: Party;
  readonly topic: string;
  readonly hear: (text: string) => void;
}

/** An engine in memory, to which several parties connect, with faults that a seeded source decides. */
export class MemoryEngine {
  /** How many messages were lost, repeated and so on. */
  readonly counts = { sent: 0, delivered: 0, dropped: 0, repeated: 0, reordered: 0, delayed: 0 };
  faults: Faults;
  private isDown = false;
  private sent = 0;
  private readonly random: () => number;
  private readonly clock: Clock | undefined;
  private readonly scheduler: Scheduler;
  private readonly parties = new Map<string, Party>();
  private readonly queue: Queued[] = [];
  private readonly takers = new Set<Taker>();
  private readonly listeners = new Set<Listener>();
  private readonly blobs = new Map<string, Uint8Array>();

  constructor({ random = () => 0.5, clock, faults = {} }: MemoryEngineOptions = {}) {
    this.random = random;
    this.clock = clock;
    this.faults = faults;
    this.scheduler = seededScheduler(random);
  }

  /** Connects a party. `cut`, `mend` and `kill` take the same name. */
  connect(name: string): Carrier {
    const party: Party = { cut: null, isGone: false, wasUp: !this.isDown, onUp: new Set() };
    this.parties.set(name, party);
    return this.carrierOf(party);
  }

  cut(name: string, cut: Cut = "both"): void {
    this.partyOf(name).cut = cut;
    this.changed();
  }

  mend(name: string): void {
    this.partyOf(name).cut = null;
    this.changed();
  }

  /** The party's process dies: it hears nothing more, and the engine removes what it ran with its locks. */
  kill(name: string): void {
    this.leave(this.partyOf(name));
    this.changed();
  }

  setDown(isDown: boolean): void {
    this.isDown = isDown;
    this.changed();
  }

  /** The engine restarts without its data. */
  loseData(): void {
    this.queue.length = 0;
    this.blobs.clear();
  }

  /** IDs of the attempts that wait or run, for looking at what is left behind. */
  get attempts(): string[] {
    return this.queue.map(({ attempt }) => attempt.id);
  }

  get blobNames(): string[] {
    return [...this.blobs.keys()];
  }

  private carrierOf(party: Party): Carrier {
    const isUp = () => this.isUp(party);
    return {
      offer: async (pool, attempt, first = false) => {
        assertName(pool);
        assertName(attempt.id);
        assertText(attempt.body);
        await this.call(party, () => this.offer(pool, attempt, first));
      },
      withdraw: (pool, id) => this.call(party, () => this.withdraw(pool, id)),
      isTaken: (pool, id) =>
        this.call(party, () =>
          this.queue.some(
            (queued) => queued.attempt.id === id && queued.pool === pool && queued.runner !== null,
          ),
        ),
      take: (pools, slots, run) => this.take(party, pools, slots, run),
      publish: async (topic, text) => {
        assertTopic(topic);
        assertText(text);
        await this.call(party, () => this.publish(topic, text));
      },
      listen: async (topic, hear) => {
        assertTopic(topic);
        return this.call(party, () => this.listen({ party, topic, hear }));
      },
      putBlob: async (owner, bytes) => {
        const name = nameBlob(owner, bytes);
        await this.call(party, () => this.blobs.set(name, bytes.slice()));
        return name;
      },
      getBlob: (name) => this.call(party, () => this.blobs.get(name)?.slice() ?? null),
      dropBlob: (name) => this.call(party, () => void this.blobs.delete(name)),
      dropBlobsOf: (owner) =>
        this.call(party, () => {
          for (const name of [...this.blobs.keys()])
            if (name.startsWith(blobsOf(owner))) this.blobs.delete(name);
        }),
      get isUp() {
        return isUp();
      },
      onUp: (listener) => void party.onUp.add(listener),
      close: async () => this.leave(party),
    };
  }

  /** A call whose answer is lost rejects, although it was done. */
  private async call<T>(party: Party, work: () => T): Promise<T> {
    const away = new EngineAwayError("The engine is away.");
    if (this.isDown || party.isGone || party.cut === "out" || party.cut === "both") throw away;
    const result = work();
    if (party.cut !== null) throw away;
    return result;
  }

  private offer(pool: string, attempt: OfferedAttempt, first: boolean): void {
    if (this.queue.some((queued) => queued.attempt.id === attempt.id && queued.pool === pool)) return;
    if (first) this.queue.unshift({ pool, attempt, runner: null });
    else this.queue.push({ pool, attempt, runner: null });
    this.dispatch();
  }

  private withdraw(pool: string, id: string): void {
    const at = this.queue.findIndex((queued) => queued.attempt.id === id && queued.pool === pool);
    if (at >= 0 && this.queue[at]?.runner === null) this.queue.splice(at, 1);
  }

  private take(party: Party, pools: readonly string[], slots: number, run: RunAttempt): Taking {
    pools.forEach(assertName);
    const taker: Taker = { party, pools, slots, run, running: 0, isPaused: false };
    this.takers.add(taker);
    this.dispatch();
    return {
      pause: async () => {
        taker.isPaused = true;
      },
      resume: async () => {
        taker.isPaused = false;
        this.dispatch();
      },
      close: async () => void this.takers.delete(taker),
    };
  }

  private dispatch(): void {
    for (const queued of this.queue) {
      if (queued.runner !== null) continue;
      const taker = this.freeTaker(queued.pool);
      if (!taker) continue;
      this.hand(queued, taker);
      const second = this.happens(this.faults.repeatAttempt) ? this.freeTaker(queued.pool) : null;
      if (second) this.hand(queued, second);
    }
  }

  private freeTaker(pool: string): Taker | null {
    const free = [...this.takers].filter(
      (taker) =>
        taker.pools.includes(pool) &&
        taker.running < taker.slots &&
        !taker.isPaused &&
        this.isUp(taker.party),
    );
    return free[Math.floor(this.random() * free.length)] ?? null;
  }

  private hand(queued: Queued, taker: Taker): void {
    queued.runner = taker.party;
    taker.running += 1;
    let lent = 0;
    const lend = (isLent: boolean) => {
      taker.running += lent - Number(isLent);
      lent = Number(isLent);
      this.dispatch();
    };
    const end = () => {
      lend(true);
      this.remove(queued);
      this.dispatch();
    };
    this.scheduler.post(`attempts.${this.sent++}`, () => {
      if (taker.party.isGone) return;
      taker.run(queued.attempt, queued.pool, lend).then(end, end);
    });
  }

  private remove(queued: Queued): void {
    const at = this.queue.indexOf(queued);
    if (at >= 0) this.queue.splice(at, 1);
  }

  private publish(topic: string, text: string): void {
    for (const listener of this.listeners) if (listener.topic === topic) this.send(listener, text);
  }

  private send(listener: Listener, text: string): void {
    this.counts.sent += 1;
    if (this.happens(this.faults.drop)) {
      this.counts.dropped += 1;
      return;
    }
    const copies = this.happens(this.faults.duplicate) ? 2 : 1;
    this.counts.repeated += copies - 1;
    for (let copy = 0; copy < copies; copy += 1) this.post(listener, text, copy > 0);
  }

  private post(listener: Listener, text: string, isCopy: boolean): void {
    const isReordered = isCopy || this.happens(this.faults.reorder);
    if (isReordered && !isCopy) this.counts.reordered += 1;
    const lane = isReordered ? `alone.${this.sent++}` : `${this.nameOf(listener.party)}.${listener.topic}`;
    const post = () => this.scheduler.post(lane, () => this.deliver(listener, text));
    if (this.clock && this.happens(this.faults.delay)) {
      this.counts.delayed += 1;
      this.clock.after(this.random() * (this.faults.delayMs ?? 1000), post);
    } else post();
  }

  private deliver(listener: Listener, text: string): void {
    if (!this.listeners.has(listener) || !this.hears(listener.party)) return;
    this.counts.delivered += 1;
    listener.hear(text);
  }

  private listen(listener: Listener): Listening {
    this.listeners.add(listener);
    return { close: async () => void this.listeners.delete(listener) };
  }

  private hears(party: Party): boolean {
    return !this.isDown && !party.isGone && (party.cut === null || party.cut === "out");
  }

  private isUp(party: Party): boolean {
    return !this.isDown && !party.isGone && party.cut === null;
  }

  private leave(party: Party): void {
    party.isGone = true;
    for (const taker of this.takers) if (taker.party === party) this.takers.delete(taker);
    for (const listener of this.listeners) if (listener.party === party) this.listeners.delete(listener);
    for (const queued of this.queue.filter(({ runner }) => runner === party)) this.remove(queued);
  }

  /** Announces to each party what changed for it, and hands out what waited. */
  private changed(): void {
    for (const party of this.parties.values()) {
      const isUp = this.isUp(party);
      if (isUp === party.wasUp) continue;
      party.wasUp = isUp;
      if (!party.isGone) for (const listener of party.onUp) listener(isUp);
    }
    this.dispatch();
  }

  private partyOf(name: string): Party {
    const party = this.parties.get(name);
    if (!party) throw new Error(`${name} is not connected`);
    return party;
  }

  private nameOf(party: Party): string {
    return [...this.parties].find(([, each]) => each === party)?.[0] ?? "";
  }

  private happens(probability: number | undefined): boolean {
    return probability !== undefined && probability > 0 && this.random() < probability;
  }
}
