import type { Worker } from "node:worker_threads";
import type { Clock } from "../lib/clock.ts";
import { RESTART_INTENSITY, type RestartIntensity, Restarts } from "../lib/restarts.ts";
import { type StartThread, startThread } from "../lib/threads.ts";
import type { Journal, JournalState } from "./journal.ts";
import { JournalError, type JournalErrorKind } from "./journal-error.ts";
import { journalFile, type SessionPlace } from "./paths.ts";
import type { JournalEnd } from "./reader.ts";
import type { Redaction } from "./redact-event.ts";
import type { SessionEvent } from "./session-events.ts";
import {
  type FromWriter,
  JOURNAL_THREAD,
  type ToWrite,
  type ToWriter,
  type WriteFailure,
  type WriterData,
  type WriterStart,
} from "./writer-messages.ts";

export interface JournalOptions extends SessionPlace {
  readonly clock: Clock;
  /** Removes secrets before anything is written (default: none). Data, for the thread. */
  readonly redaction?: Redaction;
  /**
   * The end of the existing journal, from `readJournal`: writing continues there, and an incomplete line after it is
   * cut off. Only for the owner of the session's lock. Default: a new journal.
   */
  readonly goOn?: JournalEnd;
  /** Receives warnings for the user, one sentence each: the writer died and was replaced, the disk accepts nothing. */
  readonly onWarning?: (sentence: string) => void;
  /** How often the writer is restarted before it is given up. */
  readonly intensity?: RestartIntensity;
  /** Milliseconds `close` waits for the disk before it ends the thread (default 5,000). */
  readonly closeMs?: number;
  readonly startThread?: StartThread;
}

/** A record that was sent and not yet acknowledged; no caller waits for a note. */
interface Sent {
  readonly message: ToWrite;
  readonly waiter: { resolve(seq: number): void; reject(error: JournalError): void } | null;
}

/**
 * Starts the one writer of a session. Returns immediately: the thread makes the directories and the file, and a failure
 * rejects the appends. The thread keeps the process alive only while a record is pending. A thread that dies is
 * replaced, and unacknowledged records are sent again.
 */
export function startJournal(options: JournalOptions): Journal {
  return new ThreadJournal(options);
}

class ThreadJournal implements Journal {
  readonly folder: string;
  readonly #file: string;
  readonly #options: JournalOptions;
  readonly #restarts: Restarts;
  #worker: Worker;
  #beginning: WriterStart;
  /** What the writer has reported as durable. */
  #end: JournalEnd;
  /** Sent, in this order. */
  #unanswered: Sent[] = [];
  /** Notes of failed groups: the writer writes them with the next one, before anything else. */
  #kept: Sent[] = [];
  #state: JournalState = { type: "writable" };
  /** The thread has ended, or was given up. */
  readonly #gone = Promise.withResolvers<void>();
  /** Why no more records are accepted. */
  #ended: JournalError | null = null;
  #lost: string | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: JournalOptions) {
    const { folder, clock, goOn, intensity = RESTART_INTENSITY } = options;
    this.#options = options;
    this.folder = folder;
    this.#file = journalFile(folder);
    this.#restarts = new Restarts(clock, intensity);
    this.#end = goOn ?? { seq: 0, bytes: 0 };
    this.#beginning = goOn === undefined ? { type: "create" } : { type: "go-on", end: goOn };
    this.#worker = this.#start();
    this.#worker.unref();
  }

  append(event: SessionEvent): Promise<number> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal();
      if (refusal !== null) reject(refusal);
      else this.#send("append", event, { resolve, reject });
    });
  }

  note(event: SessionEvent): void {
    const refusal = this.#refusal();
    if (refusal === null) this.#send("note", event, null);
    else if (this.#closing === null) this.#lost ??= refusal.message;
  }

  state(): JournalState {
    return this.#state;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { clock, closeMs = 5_000 } = this.#options;
    this.#worker.ref();
    this.#post({ type: "close" });
    const withdraw = clock.after(closeMs, () => {
      this.#giveUp(`the disk did not answer within ${closeMs} ms`);
      // Not awaited: a thread blocked by the disk ends only when the disk responds.
      void this.#worker.terminate();
      this.#worker.unref();
      this.#gone.resolve();
    });
    await this.#gone.promise;
    withdraw();
    if (this.#lost !== null) throw this.#error(this.#lost, "unwritable");
  }

  #start(): Worker {
    const { home, redaction = null, startThread: start = startThread } = this.#options;
    const worker = start(JOURNAL_THREAD);
    worker.postMessage({
      ...{ home, folder: this.folder, path: this.#file, redaction },
      beginning: this.#beginning,
    } satisfies WriterData);
    let why = "has ended";
    worker.on("error", (error) => {
      why = `failed (${sentencePart(error)})`;
    });
    worker.on("message", (message: FromWriter) => this.#receive(message));
    // All messages of the thread have been received by now.
    worker.on("exit", () => this.#afterExit(why));
    return worker;
  }

  #afterExit(why: string): void {
    if (this.#ended === null && this.#restarts.again()) {
      try {
        this.#worker = this.#start();
        this.#handOverAgain();
        this.#warn(`The writer of the journal ${this.#file} ${why} and was started again; nothing is lost.`);
        return;
      } catch (error) {
        this.#giveUp(`its writer ${why} and could not be started again (${sentencePart(error)})`);
      }
    }
    this.#giveUp(`its writer ${why}`);
    this.#gone.resolve();
  }

  #handOverAgain(): void {
    this.#unanswered = [...this.#kept, ...this.#unanswered];
    this.#kept = [];
    for (const { message } of this.#unanswered) this.#post(message);
    if (this.#closing !== null) this.#post({ type: "close" });
    else if (this.#unanswered.length === 0) this.#worker.unref();
  }

  #send(type: ToWrite["type"], event: SessionEvent, waiter: Sent["waiter"]): void {
    const message: ToWrite = { type, at: this.#options.clock.date(), event };
    this.#post(message);
    if (this.#unanswered.push({ message, waiter }) === 1) this.#worker.ref();
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #refusal(): JournalError | null {
    if (this.#ended !== null) return this.#ended;
    return this.#closing === null ? null : this.#error(`The journal ${this.#file} is closed.`, "closed");
  }

  #receive(message: FromWriter): void {
    // An abandoned thread may still send messages.
    if (this.#ended !== null) return;
    switch (message.type) {
      case "opened":
        this.#beginning = { type: "again", end: this.#end };
        return;
      case "written":
        this.#afterWritten(message.seqs, message.end);
        return;
      case "failed":
        this.#afterFailed(message.count, message.failure, message.message);
        return;
      case "replaced":
        this.#warn(message.message);
        return;
      case "closed":
        this.#ended = this.#error(`The journal ${this.#file} is closed.`, "closed");
        if (this.#kept.length > 0 && this.#state.type === "unwritable") this.#lost ??= this.#state.reason;
        return;
      default:
        message satisfies never;
    }
  }

  #afterWritten(seqs: readonly number[], end: JournalEnd): void {
    this.#end = end;
    this.#beginning = { type: "again", end };
    this.#kept = [];
    for (const [index, { waiter }] of this.#take(seqs.length).entries()) waiter?.resolve(seqs[index] ?? 0);
    if (this.#state.type === "writable") return;
    this.#state = { type: "writable" };
    this.#warn(`The journal ${this.#file} can be written again.`);
  }

  #afterFailed(count: number, failure: WriteFailure, reason: string): void {
    const taken = this.#take(count);
    const notes = taken.filter(({ waiter }) => waiter === null);
    if (failure === "unwritable") this.#kept.push(...notes);
    else if (notes.length > 0) this.#lost ??= reason;
    for (const { waiter } of taken) waiter?.reject(this.#error(reason, failure));
    if (failure === "broken") this.#endWith(reason);
    else if (failure === "unwritable") this.#cannotWrite(reason, false);
  }

  #cannotWrite(reason: string, forGood: boolean): void {
    const known = this.#state.type === "unwritable" && this.#state.reason === reason;
    this.#state = { type: "unwritable", reason, forGood };
    if (!known) this.#warn(reason);
  }

  #take(count: number): readonly Sent[] {
    const taken = this.#unanswered.splice(0, count);
    if (this.#unanswered.length === 0 && this.#closing === null) this.#worker.unref();
    return taken;
  }

  /** The thread has ended or was given up. */
  #giveUp(why: string): void {
    if (this.#ended !== null) return;
    this.#endWith(
      `The journal ${this.#file} can no longer be written because ${why}; start a new session, the records so far are kept.`,
    );
  }

  /** Rejects pending and future calls. */
  #endWith(reason: string): void {
    this.#ended = this.#error(reason, "broken");
    const waiting = [...this.#kept.splice(0), ...this.#unanswered.splice(0)];
    if (waiting.some(({ waiter }) => waiter === null)) this.#lost ??= reason;
    for (const { waiter } of waiting) waiter?.reject(this.#ended);
    if (this.#closing === null) this.#worker.unref();
    this.#cannotWrite(reason, true);
  }

  #warn(sentence: string): void {
    this.#options.onWarning?.(sentence);
  }

  #error(message: string, kind: JournalErrorKind): JournalError {
    return new JournalError(message, this.#file, kind);
  }
}

function sentencePart(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
}
