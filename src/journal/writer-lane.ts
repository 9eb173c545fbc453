import type { SessionEvent } from "../mailbox/session-events.ts";
import type { Redaction } from "./redact-event.ts";

/**
 * What travels between a session and its journal thread. Events cross as they are and are serialised in the
 * thread: cloning one costs the sender a quarter of what `JSON.stringify` does (19 against 75 µs for a turn
 * with 18 KB of results), and the sender's time is every agent's.
 */
export type ToWriter =
  | { readonly type: "append"; readonly at: string; readonly event: SessionEvent }
  | { readonly type: "note"; readonly at: string; readonly event: SessionEvent }
  | { readonly type: "close" };

/** Answers come in the order of the records they are about. */
export type FromWriter =
  /** The next records are durable, under these numbers. */
  | { readonly type: "written"; readonly seqs: readonly number[] }
  /** The next `count` records could not be written. */
  | { readonly type: "failed"; readonly count: number; readonly message: string }
  /** The last word. `lost`: notes that never reached the file, and why. */
  | { readonly type: "closed"; readonly lost: number; readonly message: string };

/** What the thread is started with. */
export interface WriterData {
  readonly home: string;
  readonly folder: string;
  /** The journal's file in `folder`. */
  readonly path: string;
  readonly redaction: Redaction | null;
}
