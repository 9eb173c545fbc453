import { Worker } from "node:worker_threads";
import * as Comlink from "comlink";
import type { Clock } from "../../mailbox/clock.ts";
import { endpointOf } from "./endpoint.ts";
import type { PageText } from "./page-text.ts";
import type { RawPage } from "./read-page.ts";
import type { Pages } from "./thread.ts";

/** Milliseconds that one page may take. */
export const READ_MS = 30_000;
/** Milliseconds without a page after which the thread ends. */
const IDLE_MS = 60_000;
/** A page that needs more ends the thread, and nothing else. */
const HEAP_MB = 1024;

export type ReadResult = PageText | { readonly problem: string };

export interface ReaderPorts {
  readonly clock: Pick<Clock, "after">;
  /** The file that the thread runs, for tests of what dies. */
  readonly entry?: URL;
}

interface Job {
  readonly page: RawPage;
  readonly settle: (result: ReadResult) => void;
}

/** Makes text of pages, one after the other, in a thread that is started for the first one. It owns the thread. */
export class Reader {
  readonly #ports: ReaderPorts;
  readonly #queue: Job[] = [];
  #worker: Worker | null = null;
  /** The functions of that thread. */
  #pages: Comlink.Remote<Pages> | null = null;
  #job: (Job & { readonly withdraw: () => void }) | null = null;
  #withdrawIdle = () => {};
  #closed = false;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  /** Never rejects; a page that waits is given up when `signal` is aborted, with a problem. */
  read(page: RawPage, signal: AbortSignal): Promise<ReadResult> {
    return new Promise((resolve) => {
      if (this.#closed || signal.aborted) return resolve({ problem: "the session has ended" });
      const abort = () => {
        const at = this.#queue.indexOf(job);
        if (at >= 0) this.#queue.splice(at, 1);
        resolve({ problem: "it was cancelled" });
      };
      const job: Job = {
        page,
        settle(result) {
          signal.removeEventListener("abort", abort);
          resolve(result);
        },
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#queue.push(job);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.settle({ problem: "the session has ended" });
    const worker = this.#worker;
    this.#end("the session has ended");
    await worker?.terminate();
  }

  #next(): void {
    if (this.#job !== null) return;
    const job = this.#queue.shift();
    if (job === undefined) {
      if (this.#worker !== null) this.#withdrawIdle = this.#ports.clock.after(IDLE_MS, () => this.#end(""));
      return;
    }
    this.#withdrawIdle();
    const late = () => this.#end(`it could not be read within ${READ_MS / 1000} s`);
    const current = { ...job, withdraw: this.#ports.clock.after(READ_MS, late) };
    this.#job = current;
    const settle = (result: ReadResult) => {
      if (this.#job === current) this.#settle(result);
    };
    try {
      this.#pages ??= this.#start();
      // A copy: the caller's bytes may lie in a pool that others read.
      this.#pages.read(job.page).then(settle, (error: Error) => settle({ problem: error.message }));
    } catch (error) {
      this.#end(`the thread that reads pages cannot be started: ${String(error)}`);
    }
  }

  #start(): Comlink.Remote<Pages> {
    // Sources run as they are in development; the bundle has the entry beside it under its built name.
    const own = import.meta.url.endsWith(".ts") ? "./thread.ts" : "./page-reader.js";
    const worker = new Worker(this.#ports.entry ?? new URL(own, import.meta.url), {
      name: "page reader",
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    const died = (reason: string) => {
      if (worker === this.#worker) this.#end(reason);
    };
    worker.on("error", (error: Error) => died(`it is too much for the reader (${error.message})`));
    worker.on("exit", () => died("the thread that reads pages ended"));
    this.#worker = worker;
    return Comlink.wrap<Pages>(endpointOf(worker));
  }

  /** Ends the thread, and with it the page that it reads; the next one gets another thread. */
  #end(reason: string): void {
    this.#withdrawIdle();
    const worker = this.#worker;
    this.#worker = null;
    this.#pages = null;
    void worker?.terminate();
    if (this.#job !== null) this.#settle({ problem: reason });
  }

  #settle(result: ReadResult): void {
    const job = this.#job;
    this.#job = null;
    job?.withdraw();
    job?.settle(result);
    if (!this.#closed) this.#next();
  }
}
