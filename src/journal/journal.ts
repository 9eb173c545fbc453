import type { SessionEvent } from "./session-events.ts";

/** Whether the last attempt to write succeeded. */
export type JournalState =
  | { readonly type: "writable" }
  /** `reason` is a sentence. `forGood`: nothing is tried again; otherwise the next `append` tries again. */
  | { readonly type: "unwritable"; readonly reason: string; readonly forGood: boolean };

/** The one writer of a session's history (promise 4). */
export interface Journal {
  /** The session's directory on disk. */
  readonly folder: string;
  /**
   * Resolves with the record's number once it is fsynced; rejects with a sentence (`JournalError`) if that fails. Its
   * `kind` says whether a later append may succeed, as after a full disk. Cannot be cancelled. The event must not
   * change before this settles.
   */
  append(event: SessionEvent): Promise<number>;
  /**
   * Written with the next group (after 50 ms at the latest), not awaited. A failure shows in `state`, at the next
   * `append` and at `close`. After `close` it is ignored.
   */
  note(event: SessionEvent): void;
  /** While it cannot be written, nothing with side effects should run (fault 42). */
  state(): JournalState;
  /**
   * Writes what is left, ends the writer; stops waiting for a hanging disk after a while. Rejects with a sentence if a
   * note was lost. Idempotent.
   */
  close(): Promise<void>;
}
