import { type Clock, systemClock, within } from "../../lib/clock.ts";
import type { Carrier, Listening, OfferedAttempt, RunAttempt, Taking } from "../carrier.ts";
import { assertName, assertText, assertTopic, blobsOf, isBlob, nameBlob } from "../limits.ts";
import { Pulse } from "./pulse.ts";
import {
  BLOB_QUEUE,
  type EngineServer,
  type JobQueue,
  LOCK_MS,
  POOL_PREFIX,
  Reopened,
  type Topics,
} from "./server.ts";
import { BullTaking } from "./taking.ts";

const CLOSE_ENDS_MS = 5000;

/** Carries attempts as jobs, texts by Relay, and blobs as jobs that no worker takes. */
export class BullmqCarrier implements Carrier {
  private readonly pulse: Pulse;
  private readonly server: EngineServer;
  private readonly clock: Clock;
  private readonly lockMs: number;
  private readonly queues = new Map<string, Reopened<JobQueue>>();
  private readonly relay: Reopened<Topics>;
  private readonly blobs: Blobs;
  private readonly takings = new Set<BullTaking>();
  private closing: Promise<void> | null = null;

  constructor(server: EngineServer, clock: Clock, lockMs: number = LOCK_MS) {
    this.server = server;
    this.clock = clock;
    this.lockMs = lockMs;
    this.pulse = new Pulse(() => server.ping(), clock);
    server.onTrouble(() => void this.pulse.check());
    this.relay = this.reopened(() => server.openRelay());
    this.blobs = new Blobs(this.queue(BLOB_QUEUE), this.pulse, clock);
  }

  get isUp(): boolean {
    return this.pulse.isUp;
  }

  onUp(listener: (isUp: boolean) => void): void {
    this.pulse.onChange(listener);
  }

  async offer(pool: string, { id, body }: OfferedAttempt, first = false): Promise<void> {
    assertName(pool);
    assertName(id);
    assertText(body);
    await this.pulse.call(async () => {
      const queue = await this.queue(POOL_PREFIX + pool).get();
      await queue.add("attempt", { body }, { jobId: id, lifo: first });
    });
  }

  async withdraw(pool: string, id: string): Promise<void> {
    await this.pulse.call(async () => void (await (await this.queue(POOL_PREFIX + pool).get()).remove(id)));
  }

  async isTaken(pool: string, id: string): Promise<boolean> {
    return this.pulse.call(async () => {
      const queue = await this.queue(POOL_PREFIX + pool).get();
      return (await queue.getJobState(id)) === "active";
    });
  }

  take(pools: readonly string[], slots: number, run: RunAttempt): Taking {
    pools.forEach(assertName);
    const { server, pulse, clock, lockMs } = this;
    const taking = new BullTaking({ server, pulse, clock, lockMs, pools, slots, run });
    this.takings.add(taking);
    return taking;
  }

  async publish(topic: string, text: string): Promise<void> {
    assertTopic(topic);
    assertText(text);
    await this.pulse.call(async () => void (await (await this.relay.get()).publish(topic, text)));
  }

  async listen(topic: string, listener: (text: string) => void): Promise<Listening> {
    assertTopic(topic);
    let isClosed = false;
    const subscription = await this.pulse.call(async () =>
      (await this.relay.get()).subscribe(topic, ({ data }) => {
        if (!isClosed && typeof data === "string") listener(data);
      }),
    );
    return {
      close: async () => {
        isClosed = true;
        // If the engine is away, Relay removes the subscription when it is back.
        await this.pulse.call(() => subscription.unsubscribe()).catch(() => {});
      },
    };
  }

  putBlob(owner: string, bytes: Uint8Array): Promise<string> {
    return this.blobs.put(owner, bytes);
  }

  getBlob(name: string): Promise<Uint8Array | null> {
    return this.blobs.get(name);
  }

  dropBlob(name: string): Promise<void> {
    return this.blobs.drop(name);
  }

  dropBlobsOf(owner: string): Promise<void> {
    return this.blobs.dropOf(owner);
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  /** Relay says goodbye to the server, which may be away: then the lease ends it. */
  private async end(): Promise<void> {
    const relay = this.relay.close();
    this.pulse.close();
    const things = [...[...this.takings].map((taking) => taking.leave()), relay];
    await within(this.clock, CLOSE_ENDS_MS, Promise.allSettled(things));
    await within(
      this.clock,
      CLOSE_ENDS_MS,
      Promise.allSettled([...this.queues.values()].map((each) => each.close())),
    );
    await this.server.close();
  }

  private queue(name: string): Reopened<JobQueue> {
    const known = this.queues.get(name);
    if (known) return known;
    const queue = this.reopened(() => this.server.openQueue(name));
    this.queues.set(name, queue);
    return queue;
  }

  private reopened<T extends JobQueue | Topics>(open: () => T): Reopened<T> {
    return new Reopened(open, () => void this.pulse.check());
  }
}

/** A slow line needs a while for 8 MiB. */
const BLOB_ENDS_MS = 60_000;

const KEPT_MS = 24 * 3_600_000;
const CLEANED_EVERY_MS = 3_600_000;

/** Keeps blobs as jobs that no worker takes, because Relay keeps nothing and a job may be large. */
export class Blobs {
  private readonly queue: Reopened<JobQueue>;
  private readonly pulse: Pulse;
  private readonly clock: Clock;
  private cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(queue: Reopened<JobQueue>, pulse: Pulse, clock: Clock = systemClock) {
    this.queue = queue;
    this.pulse = pulse;
    this.clock = clock;
  }

  async put(owner: string, bytes: Uint8Array): Promise<string> {
    const name = nameBlob(owner, bytes);
    await this.call(async (queue) => {
      await this.clean(queue);
      // The same again, such as the schemas of tools, is not sent again.
      if ((await queue.getJobState(name)) === "unknown")
        await queue.add("blob", { base64: Buffer.from(bytes).toString("base64") }, { jobId: name });
    });
    return name;
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.call(async (queue) => {
      const base64: unknown = (await queue.getJob(name))?.data?.base64;
      if (typeof base64 !== "string") return null;
      const bytes = Buffer.from(base64, "base64");
      return isBlob(name, bytes) ? bytes : null;
    });
  }

  drop(name: string): Promise<void> {
    return this.call(async (queue) => void (await queue.remove(name)));
  }

  dropOf(owner: string): Promise<void> {
    return this.call(async (queue) => {
      for (const name of await queue.getRanges(["waiting"], 0, -1))
        if (name.startsWith(blobsOf(owner))) await queue.remove(name);
    });
  }

  private call<T>(work: (queue: JobQueue) => Promise<T>): Promise<T> {
    return this.pulse.call(async () => work(await this.queue.get()), BLOB_ENDS_MS);
  }

  /** Removes what ended sessions left behind. */
  private async clean(queue: JobQueue): Promise<void> {
    if (this.clock.now() - this.cleanedAt < CLEANED_EVERY_MS) return;
    this.cleanedAt = this.clock.now();
    await queue.clean(KEPT_MS, 1000, "wait");
  }
}
