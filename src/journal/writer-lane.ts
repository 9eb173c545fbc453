/**
 * What travels between a session and its journal thread. `text` is a record's line from `"at"` on: it is
 * serialised once, where the event is, and crosses as one string (cloning the event would cost as much as
 * serialising it, and the thread would then serialise it again).
 */
export type ToWriter =
  | { readonly type: "append"; readonly text: string }
  | { readonly type: "note"; readonly text: string }
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
}
