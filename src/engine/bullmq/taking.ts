import type { Job } from "bullmq";
import { type Clock, pause, within } from "../../lib/clock.ts";
import type { OfferedAttempt, RunAttempt, Taking } from "../carrier.ts";
import type { Pulse } from "./pulse.ts";
import { type EngineServer, type JobWorker, POOL_PREFIX } from "./server.ts";

const TRY_AGAIN_MS = 1000;
const CLOSE_ENDS_MS = 4000;
/** How often a lock is renewed before it would expire. */
const RENEWALS = 8;

interface Running {
  readonly job: Job;
  readonly token: string;
  isLent: boolean;
}

export interface TakeRequest {
  readonly server: EngineServer;
  readonly pulse: Pulse;
  readonly clock: Clock;
  /** Milliseconds without a renewal after which the engine removes an attempt. */
  readonly lockMs: number;
  readonly pools: readonly string[];
  readonly slots: number;
  readonly run: RunAttempt;
}

/**
 * Takes attempts of several pools into one number of slots. One loop per pool waits for its jobs; the loop that gets one
 * when no slot is left gives it back. BullMQ's own loop has no slots that several queues share.
 */
export class BullTaking implements Taking {
  private readonly request: TakeRequest;
  private readonly running = new Set<Running>();
  private readonly loops: Promise<void>[];
  private readonly workers = new Set<JobWorker>();
  private readonly ended = new AbortController();
  private readonly freed = new Set<() => void>();
  private isPaused = false;
  private tokens = 0;

  constructor(request: TakeRequest) {
    this.request = request;
    this.loops = request.pools.map((pool) => this.takeFrom(pool));
    this.renewLater();
  }

  async pause(): Promise<void> {
    this.isPaused = true;
  }

  async resume(): Promise<void> {
    this.isPaused = false;
    this.wake();
  }

  /** Takes nothing more. What runs continues, keeps its lock, and is reported when it ends. */
  async close(): Promise<void> {
    this.ended.abort();
    this.wake();
    // Its wait for a job would last, because BullMQ ends only those of its own loop.
    for (const worker of this.workers)
      void worker
        .getBackend()
        .disconnectBlocking(true)
        .catch(() => {});
    // A worker that is closed while it looks for a job may not end (PostgreSQL).
    await within(this.request.clock, CLOSE_ENDS_MS, Promise.all(this.loops));
    if (this.running.size === 0) await this.closeWorkers();
  }

  /** Closes the connections, too. */
  leave(): Promise<void> {
    this.running.clear();
    return this.close();
  }

  private async takeFrom(pool: string): Promise<void> {
    const { pulse, clock, server, lockMs } = this.request;
    while (!this.ended.signal.aborted) {
      // Its opening fails for good if the server is away, so it waits for the server first.
      if (!pulse.isUp) {
        await pause(clock, TRY_AGAIN_MS / 4, this.ended.signal);
        continue;
      }
      const worker = server.openWorker(POOL_PREFIX + pool, lockMs);
      worker.on("error", () => void pulse.check());
      this.workers.add(worker);
      await this.takeWith(worker, pool).catch(() => {});
      if (this.ended.signal.aborted) return;
      this.workers.delete(worker);
      await worker.close(true).catch(() => {});
      await pause(clock, TRY_AGAIN_MS, this.ended.signal);
    }
  }

  /** Ends when the worker can no longer be used. */
  private async takeWith(worker: JobWorker, pool: string): Promise<void> {
    await worker.waitUntilReady();
    if (this.ended.signal.aborted) return;
    await worker.startStalledCheckTimer();
    for (;;) {
      await this.waitForSlot();
      if (this.ended.signal.aborted) return;
      const token = `${worker.id}:${this.tokens++}`;
      const job = await worker.getNextJob(token).catch(() => null);
      if (job === null) await pause(this.request.clock, TRY_AGAIN_MS, this.ended.signal);
      // The engine hands out again what a dead runner had: its session has made another attempt of it, or has ended.
      else if (job?.deferredFailure !== undefined) await this.remove(job, token);
      else if (job && this.hasSlot()) this.start({ job, token, isLent: false }, pool);
      else if (job) await this.giveBack(worker, job, token);
    }
  }

  private hasSlot(): boolean {
    const used = [...this.running].filter(({ isLent }) => !isLent).length;
    return !this.isPaused && !this.ended.signal.aborted && used < this.request.slots;
  }

  private async waitForSlot(): Promise<void> {
    while (!this.hasSlot() && !this.ended.signal.aborted)
      await new Promise<void>((resolve) => this.freed.add(resolve));
  }

  private wake(): void {
    for (const resolve of this.freed) resolve();
    this.freed.clear();
  }

  private start(running: Running, pool: string): void {
    this.running.add(running);
    const attempt = readAttempt(running.job);
    const lend = (isLent: boolean) => {
      running.isLent = isLent;
      if (isLent) this.wake();
    };
    const run = async () => attempt && this.request.run(attempt, pool, lend);
    void run()
      .catch(() => {})
      .then(() => this.finish(running))
      .finally(() => {
        if (this.ended.signal.aborted && this.running.size === 0) void this.closeWorkers();
      });
  }

  /** The slot is free immediately; the engine removes the job as soon as it answers, or when its lock expires. */
  private async finish(running: Running): Promise<void> {
    this.running.delete(running);
    this.wake();
    await this.remove(running.job, running.token);
  }

  private remove(job: Job, token: string): Promise<void> {
    return this.settle(() => job.moveToCompleted(null, token, false));
  }

  /** Before all that wait, where it was; BullMQ's `moveToWait` puts it behind them (PostgreSQL). */
  private async giveBack(worker: JobWorker, { id = "" }: Job, token: string): Promise<void> {
    const change = () => worker.getBackend().retryJob(id, true, token);
    // A carrier that is being closed has stopped all other calls.
    if (this.request.pulse.signal.aborted) await change().catch(() => {});
    else await this.settle(change);
  }

  /** Ends a job here. Tries again while the engine does not answer, as long as the lock may be ours. */
  private async settle(change: () => Promise<unknown>): Promise<void> {
    const { pulse, clock, lockMs } = this.request;
    for (let left = lockMs; left > 0 && !pulse.signal.aborted; left -= TRY_AGAIN_MS) {
      const isDone = await pulse
        .call(() => change().catch(ignoreForeign))
        .then(
          () => true,
          () => false,
        );
      if (isDone) return;
      await pause(clock, TRY_AGAIN_MS, pulse.signal);
    }
  }

  private renewLater(): void {
    const { clock, pulse, lockMs } = this.request;
    const cancel = clock.after(lockMs / RENEWALS, () => {
      pulse.signal.removeEventListener("abort", cancel);
      for (const { job, token } of this.running)
        void pulse.call(() => job.extendLock(token, lockMs)).catch(() => {});
      if (!this.ended.signal.aborted || this.running.size > 0) this.renewLater();
    });
    pulse.signal.addEventListener("abort", cancel, { once: true });
  }

  private async closeWorkers(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.close(true).catch(() => {})));
  }
}

/** BullMQ answers with a number if the job does not exist, or is no longer this runner's: then nothing is left to do. */
function ignoreForeign(error: unknown): void {
  if (!(error instanceof Error && "code" in error && typeof error.code === "number")) throw error;
}

/** Null if something else than this program queued it. */
function readAttempt(job: Job): OfferedAttempt | null {
  const body: unknown = job.data?.body;
  return job.id !== undefined && typeof body === "string" ? { id: job.id, body } : null;
}
