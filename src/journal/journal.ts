import type { SessionEvent } from "../mailbox/session-events.ts";

/** The one writer of a session's history (promise 4). */
export interface Journal {
  /** Where this session lives on disk. */
  readonly folder: string;
  /**
   * Resolves with the record's number once it is fsynced; rejects with a sentence (`JournalError`) if it
   * cannot be. After a full disk a later append may succeed; after a failed fsync or a dead writer none does.
   * There is no cancel: what was handed over is written.
   */
  append(event: SessionEvent): Promise<number>;
  /**
   * Written with the next group (after 50 ms at the latest), not awaited. A failure shows at the next
   * `append` and at `close`. After `close` it is ignored.
   */
  note(event: SessionEvent): void;
  /**
   * Writes what is left, ends the writer; a disk that does not answer is given up after a while.
   * Rejects with a sentence if a note was lost. Idempotent.
   */
  close(): Promise<void>;
}
