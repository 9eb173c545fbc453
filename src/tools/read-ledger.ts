import type { ReadEntry } from "../mailbox/messages.ts";

/**
 * What one agent has seen of each file. One for each agent (A22.9): two agents must not satisfy each other's read-first
 * check. Turn records carry the entries, so they survive a change of thread.
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

  get all(): readonly ReadEntry[] {
    return [...this.#entries.values()];
  }

  /** Entries that are in no turn record yet. */
  get fresh(): readonly ReadEntry[] {
    return this.#fresh;
  }

  /** Returns the entries since the last call, for the turn record. */
  takeFresh(): ReadEntry[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
