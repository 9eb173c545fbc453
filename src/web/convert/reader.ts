import { Worker } from "node:worker_threads";
import * as Comlink from "comlink";
import { type Clock, pause } from "../../mailbox/clock.ts";
import { endpointOf } from "./endpoint.ts";
import type { PageText } from "./html.ts";
import type { RawPage } from "./read-page.ts";
import type { PageThread } from "./thread.ts";

/** Milliseconds that one page may take. */
export const READ_MS = 30_000;
/** Milliseconds without a page after which the thread ends. */
const IDLE_MS = 60_000;
/** A page that needs more memory ends the thread, and nothing else. */
const HEAP_MB = 1024;

export type ReadResult = PageText | { readonly problem: string };

export interface ReaderPorts {
  readonly clock: Clock;
  /** The file that the thread runs, for tests. */
  readonly entry?: URL;
}

interface Thread {
  readonly worker: Worker;
  readonly pages: Comlink.Remote<PageThread>;
  /** Resolves with the reason when the thread ends by itself. */
  readonly died: Promise<string>;
}

const CLOSED: ReadResult = { problem: "the session has ended" };

/** Makes text of pages, one after the other, in a thread that starts with the first one. It owns the thread. */
export class Reader {
  readonly #ports: ReaderPorts;
  readonly #closing = new AbortController();
  #thread: Thread | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #withdrawIdle = () => {};

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  /** Never rejects. A page that waits is given up when `signal` is aborted, with a problem. */
  read(page: RawPage, signal: AbortSignal): Promise<ReadResult> {
    const result = this.#turn.then(() => (signal.aborted ? CANCELLED : this.#read(page)));
    this.#turn = result;
    return firstOf(result, signal, CANCELLED);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#withdrawIdle();
    await this.#thread?.worker.terminate();
  }

  async #read(page: RawPage): Promise<ReadResult> {
    if (this.#closing.signal.aborted) return CLOSED;
    this.#withdrawIdle();
    const over = new AbortController();
    try {
      this.#thread ??= this.#start();
      const { pages, died } = this.#thread;
      const late = pause(this.#ports.clock, READ_MS, over.signal);
      const ended = Promise.race([
        late.then(() => `it could not be read within ${READ_MS / 1000} s`),
        died,
      ]).then((problem): ReadResult => {
        if (!over.signal.aborted) this.#end();
        return { problem };
      });
      // A copy: the caller's bytes may be in a pool that others read.
      const read = pages.read(page).catch((error: Error): ReadResult => ({ problem: error.message }));
      return await firstOf(Promise.race([read, ended]), this.#closing.signal, CLOSED);
    } catch (error) {
      return { problem: `the thread that reads pages cannot be started: ${String(error)}` };
    } finally {
      over.abort();
      if (!this.#closing.signal.aborted)
        this.#withdrawIdle = this.#ports.clock.after(IDLE_MS, () => this.#end());
    }
  }

  #start(): Thread {
    // The sources run in development; the bundle has the entry next to it under its built name.
    const own = import.meta.url.endsWith(".ts") ? "./thread.ts" : "./page-reader.js";
    const worker = new Worker(this.#ports.entry ?? new URL(own, import.meta.url), {
      name: "page reader",
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    const { promise: died, resolve } = Promise.withResolvers<string>();
    worker.on("error", (error: Error) => resolve(`it is too much for the reader (${error.message})`));
    worker.on("exit", () => {
      if (this.#thread?.worker === worker) this.#thread = null;
      resolve("the thread that reads pages ended");
    });
    return { worker, pages: Comlink.wrap<PageThread>(endpointOf(worker)), died };
  }

  /** Ends the thread and the page that it reads; the next page gets another thread. */
  #end(): void {
    this.#withdrawIdle();
    void this.#thread?.worker.terminate();
    this.#thread = null;
  }
}

const CANCELLED: ReadResult = { problem: "it was cancelled" };

/** Resolves with `otherwise` if the signal is aborted first. */
function firstOf<T>(work: Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  const aborted = Promise.withResolvers<T>();
  const abort = () => aborted.resolve(otherwise);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
}
