/**
 * Carries attempts and messages between sessions and runners. It is trusted with nothing: it may lose, delay, repeat and
 * reorder messages, and its operator may read and forge them. Every call ends by a deadline of its own.
 */
export interface Carrier {
  /** Queues an attempt in a pool, `first` before all that wait. The same ID again is ignored. Rejects if the engine cannot take it. */
  offer(pool: string, attempt: OfferedAttempt, first?: boolean): Promise<void>;
  /** Removes an attempt that waits, or has ended. Never one that is being run. */
  withdraw(pool: string, id: string): Promise<void>;
  /** True if a runner has taken that attempt and has not ended it, or died with it a short while ago. */
  isTaken(pool: string, id: string): Promise<boolean>;
  /** Takes attempts of these pools while fewer than `slots` run here and have not lent theirs. An attempt ends when `run` settles. */
  take(pools: readonly string[], slots: number, run: RunAttempt): Taking;
  /** Sends a text of up to 256 KiB to all that listen to the topic now. Rejects if the engine is away. */
  publish(topic: string, text: string): Promise<void>;
  /** Resolves once texts arrive. They continue to arrive after the engine was away, without those sent until then. */
  listen(topic: string, listener: (text: string) => void): Promise<Listening>;
  /** Keeps bytes for a while, under a name that has their SHA-256; up to 8 MiB. `owner`: a session. */
  putBlob(owner: string, bytes: Uint8Array): Promise<string>;
  /** Returns null if the engine does not have it, or has other bytes under that name. */
  getBlob(name: string): Promise<Uint8Array | null>;
  dropBlob(name: string): Promise<void>;
  /** Removes every blob of an owner. */
  dropBlobsOf(owner: string): Promise<void>;
  /** Whether the engine answers, now and whenever that changes. */
  readonly isUp: boolean;
  onUp(listener: (isUp: boolean) => void): void;
  /** Ends everything that was begun here. Attempts that run are not ended: they are their runner's. */
  close(): Promise<void>;
}

export type RunAttempt = (attempt: OfferedAttempt, pool: string, lend: LendSlot) => Promise<void>;

/** Lends the slot of an attempt to others, or takes it back: none is ended for that, so more may run for a while. Repeatable. */
export type LendSlot = (isLent: boolean) => void;

export interface OfferedAttempt {
  /** Letters, digits, `-` and `_`. */
  readonly id: string;
  /** Up to 256 KiB. */
  readonly body: string;
}

export interface Taking {
  /** Takes nothing new; what runs continues. */
  pause(): Promise<void>;
  /** Takes again, as many as are free. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

export interface Listening {
  close(): Promise<void>;
}
