import type { SessionEvent } from "../mailbox/session-events.ts";

/** The one writer of a session's history (promise 4). */
export interface Journal {
  /** Where this session lives on disk. */
  readonly folder: string;
  /** Resolves with the record's number once it is fsynced; rejects with a sentence if it cannot be. */
  append(event: SessionEvent): Promise<number>;
  /** Written with the next group, not awaited. A failure shows at the next `append`. */
  note(event: SessionEvent): void;
  /** Writes what is left, ends the writer. Idempotent. */
  close(): Promise<void>;
}
