import type { ReadEntry } from "../mailbox/messages.ts";

/**
 * What one agent has seen of each file. One per agent context (A22.9): two agents must not satisfy each
 * other's read-first check. Entries travel in turn records, so it survives a change of thread.
 */
export class ReadLedger {
  readonly #entries = new Map<string, ReadEntry>();
  #fresh: ReadEntry[] = [];

  constructor(entries: readonly ReadEntry[] = []) {
    for (const entry of entries) this.#entries.set(entry.path, entry);
  }

  /** `entry.path` is the resolved real path. */
  record(entry: ReadEntry): void {
    this.#entries.set(entry.path, entry);
    this.#fresh.push(entry);
  }

  get(realPath: string): ReadEntry | undefined {
    return this.#entries.get(realPath);
  }

  /** Entries that no turn record has yet. */
  get fresh(): readonly ReadEntry[] {
    return this.#fresh;
  }

  /** Entries since the last call, for the turn record. */
  takeFresh(): ReadEntry[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
