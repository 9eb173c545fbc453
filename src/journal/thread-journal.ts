import { Worker, type WorkerOptions } from "node:worker_threads";
import type { Clock } from "../mailbox/clock.ts";
import type { SessionEvent } from "../mailbox/session-events.ts";
import type { Journal } from "./journal.ts";
import { JournalError } from "./journal-error.ts";
import { journalFile, type SessionPlace } from "./place.ts";
import type { Redaction } from "./redact-event.ts";
import type { FromWriter, ToWriter, WriterData } from "./writer-lane.ts";

export interface JournalOptions extends SessionPlace {
  readonly clock: Clock;
  /** Secrets are taken out before anything is written (default: nothing is). Data, for the thread. */
  readonly redaction?: Redaction;
  /** Milliseconds `close` waits for the disk before it ends the thread (default 5,000). */
  readonly closeMs?: number;
  /** Starts the thread (default: a worker). */
  readonly startThread?: (entry: URL, options: WorkerOptions) => Worker;
}

/** A record on its way to the disk; nobody waits for a note. */
type Waiter = { resolve(seq: number): void; reject(error: JournalError): void } | null;

/** In `dist` all bundles lie in one folder; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./writer.ts" : "./journal-writer.js",
  import.meta.url,
);

/**
 * Starts the one writer of a new session. Returns at once: folders and file are made in the thread, and a
 * failure to make them rejects the appends. The thread keeps the process alive only while a record is on
 * its way.
 */
export function startJournal(options: JournalOptions): Journal {
  return new ThreadJournal(options);
}

class ThreadJournal implements Journal {
  readonly folder: string;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #closeMs: number;
  readonly #worker: Worker;
  readonly #onTheWay: Waiter[] = [];
  /** The thread has ended, or was given up. */
  readonly #gone = Promise.withResolvers<void>();
  /** Why nothing can be written any more. */
  #ended: string | null = null;
  #lost: string | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: JournalOptions) {
    const { home, folder, clock, redaction = null, closeMs = 5_000, startThread = startWorker } = options;
    this.folder = folder;
    this.#file = journalFile(folder);
    this.#clock = clock;
    this.#closeMs = closeMs;
    const workerData: WriterData = { home, folder, path: this.#file, redaction };
    this.#worker = startThread(ENTRY, { name: "journal", workerData, env: threadEnv(), execArgv: [] });
    this.#worker.on("exit", () => {
      this.#end("its writer has ended");
      this.#gone.resolve();
    });
    this.#worker.on("error", (error) => this.#end(`its writer failed (${sentencePart(error)})`));
    this.#worker.on("message", (message: FromWriter) => this.#receive(message));
    this.#worker.unref();
  }

  append(event: SessionEvent): Promise<number> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal();
      if (refusal !== null) reject(this.#error(refusal));
      else this.#send({ type: "append", at: this.#clock.date(), event }, { resolve, reject });
    });
  }

  note(event: SessionEvent): void {
    const refusal = this.#refusal();
    if (refusal === null) this.#send({ type: "note", at: this.#clock.date(), event }, null);
    else if (this.#closing === null) this.#lost ??= refusal;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#worker.ref();
    this.#worker.postMessage({ type: "close" } satisfies ToWriter);
    const withdraw = this.#clock.after(this.#closeMs, () => {
      this.#end(`the disk did not answer within ${this.#closeMs} ms`);
      // Not awaited: a thread that the disk holds fast ends only when the disk lets go.
      void this.#worker.terminate();
      this.#worker.unref();
      this.#gone.resolve();
    });
    await this.#gone.promise;
    withdraw();
    if (this.#lost !== null) throw this.#error(this.#lost);
  }

  #send(message: ToWriter, waiter: Waiter): void {
    this.#worker.postMessage(message);
    if (this.#onTheWay.push(waiter) === 1) this.#worker.ref();
  }

  #refusal(): string | null {
    return this.#ended ?? (this.#closing === null ? null : `The journal ${this.#file} is closed.`);
  }

  #receive(message: FromWriter): void {
    switch (message.type) {
      case "written":
        for (const [index, waiter] of this.#take(message.seqs.length).entries()) {
          waiter?.resolve(message.seqs[index] ?? 0);
        }
        return;
      case "failed":
        for (const waiter of this.#take(message.count)) waiter?.reject(this.#error(message.message));
        return;
      case "closed":
        this.#ended = `The journal ${this.#file} is closed.`;
        if (message.lost > 0) this.#lost = message.message;
        return;
      default:
        message satisfies never;
    }
  }

  #take(count: number): Waiter[] {
    const taken = this.#onTheWay.splice(0, count);
    if (this.#onTheWay.length === 0 && this.#closing === null) this.#worker.unref();
    return taken;
  }

  /** The thread is gone or given up: whoever waits learns it now, and so does whoever comes later. */
  #end(why: string): void {
    this.#ended ??= `The journal ${this.#file} can no longer be written because ${why}; start a new session, the records so far are kept.`;
    const waiting = this.#onTheWay.splice(0);
    if (waiting.includes(null)) this.#lost ??= this.#ended;
    for (const waiter of waiting) waiter?.reject(this.#error(this.#ended));
  }

  #error(message: string): JournalError {
    return new JournalError(message, this.#file);
  }
}

function startWorker(entry: URL, options: WorkerOptions): Worker {
  return new Worker(entry, options);
}

/** The thread needs nothing of the environment but the cache that makes it start faster. */
function threadEnv(): Record<string, string> {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
}

function sentencePart(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
}
