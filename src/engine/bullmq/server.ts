import type { IQueueBackend, Job, Queue, Relay, Worker } from "bullmq";
import { WIRE } from "../limits.ts";

/** Something of BullMQ's that has connections. */
export interface Openable {
  waitUntilReady(): Promise<unknown>;
  close(isForced?: boolean): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

export type JobQueue = Openable &
  Pick<Queue, "add" | "remove" | "getJob" | "getJobState" | "getJobCounts" | "getRanges" | "clean">;
export type JobWorker = Openable &
  Pick<Worker, "id" | "startStalledCheckTimer"> & {
    getNextJob(token: string): Promise<Job | undefined>;
    getBackend(): Pick<IQueueBackend, "disconnectBlocking" | "retryJob">;
  };
export type Topics = Openable & Pick<Relay, "publish" | "subscribe">;

/** What differs between the servers that BullMQ works on. Whatever it opens may fail, and then needs to be opened again. */
export interface EngineServer {
  openQueue(name: string): JobQueue;
  openWorker(name: string, lockMs: number): JobWorker;
  openRelay(): Topics;
  /** One round trip, which ends by itself. */
  ping(): Promise<void>;
  /** Calls back when a connection was lost. */
  onTrouble(listener: () => void): void;
  /** Reads how the server is set up, for `engine check`. */
  readFacts(): Promise<ServerFacts>;
  /** Names of the queues that begin with a prefix. */
  listQueues(prefix: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface ServerFacts {
  readonly product: string;
  readonly version: string;
  readonly isSupported: boolean;
  readonly oldest: string;
  /** Null if it cannot be read. */
  readonly keepsOnDisk: boolean | null;
  /** The policy by which the server drops data when its memory is full, or null if it has none or does not say. */
  readonly eviction: string | null;
}

/** Prefix of the names of pools' queues. */
export const POOL_PREFIX = `troupe-${WIRE}-`;

/** No pool has this name, because a pool's begins with the prefix. */
export const BLOB_QUEUE = `troupe-${WIRE}.blobs`;

export const NAMESPACE = `troupe-${WIRE}`;

/** Milliseconds for which the engine counts an attempt as running after its runner has died. No new attempt depends on it. */
export const LOCK_MS = 120_000;

/** Nothing is kept of ended jobs, and little of the stream in which BullMQ reports on them, which nothing reads. */
export const queueOptions = {
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  streams: { events: { maxLen: 100 } },
  skipMetasUpdate: false,
} as const;

export const workerOptions = (lockMs: number) =>
  ({
    autorun: false,
    maxStalledCount: 0,
    lockDuration: lockMs,
    stalledInterval: lockMs / 4,
    // Seconds that one wait for a job lasts.
    drainDelay: 5,
  }) as const;

/** A node that was away for longer than its lease loses what was sent since; its heartbeat subscribes it again. */
export const relayOptions = {
  namespace: NAMESPACE,
  leaseDuration: 30_000,
  heartbeatInterval: 3000,
  inboxMaxLength: 4000,
} as const;

/** A thing of BullMQ's that is opened with its first use. If that fails, it is dead for good, so the next use opens another. */
export class Reopened<T extends Openable> {
  private opened: Promise<T> | null = null;
  private readonly open: () => T;
  private readonly onError: () => void;

  constructor(open: () => T, onError: () => void) {
    this.open = open;
    this.onError = onError;
  }

  get(): Promise<T> {
    if (this.opened) return this.opened;
    const thing = this.open();
    thing.on("error", this.onError);
    const opened = thing.waitUntilReady().then(
      () => thing,
      (error: unknown) => {
        if (this.opened === opened) this.opened = null;
        thing.close().catch(() => {});
        throw error;
      },
    );
    this.opened = opened;
    return opened;
  }

  async close(): Promise<void> {
    const thing = await this.opened?.catch(() => null);
    await thing?.close();
  }
}
