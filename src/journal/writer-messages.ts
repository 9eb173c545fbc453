import type { SessionEvent } from "../mailbox/session-events.ts";
import type { JournalEnd } from "./reader.ts";
import type { Redaction } from "./redact-event.ts";

/** One record on its way to the writer; nobody waits for a note. */
export interface ToWrite {
  readonly type: "append" | "note";
  readonly at: string;
  readonly event: SessionEvent;
}

/**
 * What travels between a session and its journal thread. Events cross as they are and are serialised in the
 * thread: cloning one costs the sender a quarter of what `JSON.stringify` does (19 against 75 µs for a turn
 * with 18 KB of results), and the sender's time is every agent's.
 */
export type ToWriter = ToWrite | { readonly type: "close" };

/**
 * Why records could not be written. `record`: it is of a kind that no reader takes, others are not
 * concerned; `unwritable`: for now, such as on a full disk, so notes are kept for the next group; `broken`:
 * for good.
 */
export type WriteFailure = "record" | "unwritable" | "broken";

/** Answers come in the order of the records they are about. */
export type FromWriter =
  /** The file is at hand; nothing was written before this was said. */
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
  /** The file could not be believed any more and was replaced by a new one with the same records (fault 45). */
  | { readonly type: "replaced"; readonly message: string }
  /** The last word: all that came before is answered. */
  | { readonly type: "closed" };

/** How the thread comes to its file. */
export type Beginning =
  /** A new one; a file that is there already and has anything in it is never touched. */
  | { readonly type: "create" }
  /** That of a session taken up again, which was read up to `end`: only a torn line may follow, and is cut off. */
  | { readonly type: "go-on"; readonly end: JournalEnd }
  /**
   * In place of a thread that died. What follows `end`, whole or torn, was never answered: it is cut off, and
   * the sender hands it over once more, so that it is neither missing nor there twice.
   */
  | { readonly type: "again"; readonly end: JournalEnd };

/** What the thread is started with. */
export interface WriterData {
  readonly home: string;
  readonly folder: string;
  /** The journal's file in `folder`. */
  readonly path: string;
  readonly redaction: Redaction | null;
  readonly beginning: Beginning;
}
