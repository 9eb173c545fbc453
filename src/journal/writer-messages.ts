import type { ThreadKind } from "../lib/threads.ts";
import type { JournalEnd } from "./reader.ts";
import type { Redaction } from "./redact-event.ts";
import type { SessionEvent } from "./session-events.ts";

/** One record sent to the writer; no caller waits for a note. */
export interface ToWrite {
  readonly type: "append" | "note";
  readonly at: string;
  readonly event: SessionEvent;
}

/**
 * Messages between a session and its journal thread. Events are sent as objects and serialised in the thread: cloning
 * one costs the sender a quarter of what `JSON.stringify` does (19 against 75 µs for a turn with 18 KB of results), and
 * the sender's time is every agent's.
 */
export type ToWriter = ToWrite | { readonly type: "close" };

/**
 * Why records could not be written. `record`: no reader accepts it, others can be written; `unwritable`: for now, as on
 * a full disk, so notes are kept for the next group; `broken`: permanently.
 */
export type WriteFailure = "record" | "unwritable" | "broken";

/** Responses come in the order of the records they are about. */
export type FromWriter =
  /** The file is open; nothing was written before this message. */
  | { readonly type: "opened" }
  /** The next records are durable, under these numbers, and with them the notes that were kept. */
  | { readonly type: "written"; readonly seqs: readonly number[]; readonly end: JournalEnd }
  /** The next `count` records could not be written. */
  | {
      readonly type: "failed";
      readonly count: number;
      readonly failure: WriteFailure;
      readonly message: string;
    }
  /** The file could not be trusted and was replaced by a new one with the same records (fault 45). */
  | { readonly type: "replaced"; readonly message: string }
  /** The last message: everything before it was acknowledged. */
  | { readonly type: "closed" };

/** How the thread opens its file. */
export type WriterStart =
  /** A new file; an existing file with content is never touched. */
  | { readonly type: "create" }
  /** The file of a resumed session, read up to `end`: only an incomplete line may follow, and is cut off. */
  | { readonly type: "go-on"; readonly end: JournalEnd }
  /**
   * Replaces a thread that died. What follows `end`, complete or not, was never acknowledged: it is cut off and sent
   * again, so that it is neither missing nor duplicated.
   */
  | { readonly type: "again"; readonly end: JournalEnd };

/** The thread's first message. */
export interface WriterData {
  readonly home: string;
  readonly folder: string;
  /** The journal's file in `folder`. */
  readonly path: string;
  readonly redaction: Redaction | null;
  readonly beginning: WriterStart;
}

/** In `dist` all bundles are in one directory; in development the sources run. */
export const JOURNAL_THREAD: ThreadKind = {
  name: "journal",
  entry: new URL(import.meta.url.endsWith(".ts") ? "./writer.ts" : "./journal-writer.cjs", import.meta.url),
};
