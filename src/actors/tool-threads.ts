import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type Clock, pause, systemClock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import { workerChannel } from "../mailbox/rpc/channel.ts";
import { serve } from "../mailbox/rpc/server.ts";
import type { Exit } from "./hosts.ts";
import { CALL_NEEDS, type CallNeeds, THREAD_CALLS } from "./thread-calls.ts";

/** One thread of the pool. Its owner leases it to one actor at a time. */
export interface ToolThread {
  readonly worker: Worker;
  readonly requests: Caller<typeof THREAD_CALLS>;
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<Exit>;
  /** Answers what its calls need from now on, or nothing any longer. */
  serve(needs: CallNeeds | null): void;
}

/** In dist all bundles are in one directory; in development the sources run directly. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./tool-thread.ts" : "./tool-thread.cjs",
  import.meta.url,
);

/** Starts a thread. Throws if the machine has no room for it. */
export function startToolThread(entry: URL = ENTRY, clock: Clock = systemClock): ToolThread {
  const worker = new Worker(entry, {
    name: "tools",
    // A thread gets no key, and of the environment only the compile cache.
    env: process.env["NODE_COMPILE_CACHE"] ? { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] } : {},
    // Containment, not thrift: a runaway heap ends its thread. The young generation must be bounded too:
    // without, 5 of 6 runaway arrays aborted the whole process; with it, none of 18. Buffers still escape.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, codeRangeSizeMb: 16 },
  });
  // An idle thread keeps no program alive.
  worker.unref();
  const { promise: ended, resolve } = Promise.withResolvers<Exit>();
  worker.once("error", (error: unknown) => resolve(exitOfError(error)));
  worker.once("exit", (code) => resolve({ type: "died", message: `Worker exited with code ${code}` }));
  const channel = workerChannel(worker);
  const requests = new Caller(THREAD_CALLS, { clock, peer: "The thread" });
  requests.attach(channel);
  let needs: CallNeeds | null = null;
  const current = (): CallNeeds => {
    if (needs === null) throw new Error("No call runs in this thread.");
    return needs;
  };
  serve(channel, CALL_NEEDS, {
    run: (request, serving) => current().run(request, serving),
    hidden: (matches, serving) => current().hidden(matches, serving),
  });
  return {
    ...{ worker, requests, ended },
    serve(next) {
      needs = next;
      if (next === null) worker.unref();
      else worker.ref();
    },
  };
}

function exitOfError(error: unknown): Exit {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return { type: "out-of-memory" };
  return { type: "died", message: errorMessage(error) };
}

/** Threads beyond the cores that may be busy together before more are started for calls that block. */
const BEYOND_CORES = 2;
/** The most threads, however many calls block. */
export const MOST_THREADS = 64;
/** If no call has ended for this long (ms) while others wait, the threads are blocked, and one more is started. */
const BLOCKED_MS = 20;
/** A thread that takes longer to start counts as blocked, too. */
const BOOT_MS = 1_000;
/** Milliseconds after which an idle thread ends; the first one stays. */
const IDLE_MS = 30_000;
/** A thread inside a blocking system call cannot be ended; `close` waits no longer than this. */
const EXIT_MS = 5_000;
const STUCK =
  "A thread did not end with the session, because a call in it blocks; the program can only exit when that call returns.";

export interface ThreadPoolOptions {
  readonly entry?: URL;
  readonly clock?: Clock;
  /** By default the cores of this machine, and two more. */
  readonly usualThreads?: number;
  /** By default `MOST_THREADS`. */
  readonly mostThreads?: number;
  /** A sentence for the user. */
  readonly onFault: (message: string) => void;
}

/**
 * The threads in which tools run. A thread belongs to one holder at a time, from `take` to `give`. There are as many as the
 * machine has cores, and two more; if all of them are blocked, more are started, one by one.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #clock: Clock;
  readonly #usual: number;
  readonly #most: number;
  readonly #alive = new Set<ToolThread>();
  /** The last one that was used is taken first: its code is compiled. */
  readonly #idle: { readonly thread: ToolThread; withdraw(): void }[] = [];
  readonly #line: ((thread: ToolThread | null) => void)[] = [];
  #limit: number;
  /** Threads that are starting: while one is, the others are late for want of a core. */
  #booting = 0;
  #withdrawGrowth: (() => void) | null = null;
  #isClosed = false;
  #hasTold = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#most = options.mostThreads ?? MOST_THREADS;
    this.#usual = Math.min(this.#most, options.usualThreads ?? availableParallelism() + BEYOND_CORES);
    this.#limit = this.#usual;
  }

  /** Holders that have a thread, and holders that wait for one. */
  get load(): { readonly threads: number; readonly waiting: number } {
    return { threads: this.#alive.size - this.#idle.length, waiting: this.#line.length };
  }

  /** Starts the first thread ahead of need. */
  warm(): void {
    if (this.#isClosed || this.#alive.size > 0) return;
    const thread = this.#start();
    if (thread) this.#rest(thread);
  }

  /** Resolves with a thread, or null if the signal is aborted or the pool is closed first. */
  take(signal: AbortSignal): Promise<ToolThread | null> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(null);
    const idle = this.#idle.pop();
    if (idle) {
      idle.withdraw();
      return Promise.resolve(idle.thread);
    }
    const started = this.#alive.size < this.#limit ? this.#start() : null;
    if (started) return Promise.resolve(started);
    return new Promise((resolve) => {
      const settle = (thread: ToolThread | null) => {
        signal.removeEventListener("abort", leave);
        resolve(thread);
      };
      const leave = () => {
        this.#line.splice(this.#line.indexOf(settle), 1);
        resolve(null);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#line.push(settle);
      this.#watchGrowth();
    });
  }

  /** Takes a thread back. `isSpent`: it may not be used again, as something of its holder may be left in it. */
  give(thread: ToolThread, isSpent = false): void {
    thread.serve(null);
    if (isSpent) void thread.worker.terminate();
    else if (this.#alive.has(thread)) this.#pass(thread);
    // One has ended, so the others are not all blocked.
    this.#withdrawGrowth?.();
    this.#withdrawGrowth = null;
    if (this.#line.length > 0) this.#watchGrowth();
    else this.#limit = this.#usual;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#withdrawGrowth?.();
    for (const { withdraw } of this.#idle.splice(0)) withdraw();
    for (const settle of this.#line.splice(0)) settle(null);
    const withdrawn = new AbortController();
    const gone = Promise.all([...this.#alive].map(({ worker }) => worker.terminate()));
    await Promise.race([gone, pause(this.#clock, EXIT_MS, withdrawn.signal)]);
    withdrawn.abort();
    if (this.#alive.size > 0) this.#options.onFault(STUCK);
  }

  #start(): ToolThread | null {
    let thread: ToolThread;
    try {
      thread = startToolThread(this.#options.entry, this.#clock);
    } catch (error) {
      this.#options.onFault(`No thread for tools could be started: ${errorMessage(error)}.`);
      return null;
    }
    this.#alive.add(thread);
    void thread.ended.then(() => this.#lost(thread));
    this.#booting += 1;
    void thread.requests.call("pulse", null, { deadlineMs: BOOT_MS }).then(() => {
      this.#booting -= 1;
    });
    return thread;
  }

  #lost(thread: ToolThread): void {
    this.#alive.delete(thread);
    const place = this.#idle.findIndex((idle) => idle.thread === thread);
    if (place >= 0) this.#idle.splice(place, 1)[0]?.withdraw();
    if (this.#isClosed || this.#line.length === 0 || this.#alive.size >= this.#limit) return;
    const next = this.#start();
    if (next) this.#pass(next);
  }

  #pass(thread: ToolThread): void {
    const next = this.#line.shift();
    if (next) next(thread);
    else this.#rest(thread);
  }

  #rest(thread: ToolThread): void {
    const end = () => {
      if (this.#alive.size > 1) void thread.worker.terminate();
    };
    const withdraw = this.#clock.after(IDLE_MS, end);
    this.#idle.push({ thread, withdraw });
  }

  #warnOnce(): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#options.onFault(
      `All ${this.#most} threads for tools are busy with calls that do not end; further calls wait for one of them.`,
    );
  }

  #watchGrowth(): void {
    if (this.#withdrawGrowth !== null || this.#isClosed) return;
    this.#withdrawGrowth = this.#clock.after(BLOCKED_MS, () => {
      this.#withdrawGrowth = null;
      if (this.#line.length === 0) return;
      if (this.#booting > 0) return this.#watchGrowth();
      if (this.#limit >= this.#most) return this.#warnOnce();
      this.#limit += 1;
      const thread = this.#start();
      if (thread) this.#pass(thread);
      this.#watchGrowth();
    });
  }
}
