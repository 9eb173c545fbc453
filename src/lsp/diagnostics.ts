import { fileURLToPath } from "node:url";
import { type Clock, pause } from "../mailbox/clock.ts";
import { type Diagnostic, PublishedDiagnostics } from "./results.ts";

/** Files whose problems are kept; a server tells of those of every file that is open. */
const MOST_FILES = 2_000;
/** A server may tell of a file in parts, each replacing the one before. */
const QUIET_MS = 300;

interface Published {
  readonly version: number | null;
  readonly items: readonly Diagnostic[];
}

/** The problems that one server has told of by itself. */
export class Diagnostics {
  readonly #clock: Clock;
  readonly #published = new Map<string, Published>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(params: unknown): void {
    const told = PublishedDiagnostics.safeParse(params);
    const path = told.success ? pathOf(told.data.uri) : null;
    if (!told.success || path === null) return;
    this.#published.delete(path);
    this.#published.set(path, { version: told.data.version ?? null, items: told.data.diagnostics });
    for (const oldest of this.#published.keys()) {
      if (this.#published.size <= MOST_FILES) break;
      this.#published.delete(oldest);
    }
    for (const wake of this.#waiting.get(path) ?? []) wake();
  }

  /** The file's text is another one: what was told of it is about the past. */
  forget(path: string): void {
    this.#published.delete(path);
  }

  /** Waits until the server has told of this version of a file and is quiet; null: it did not within the time. */
  async of(
    path: string,
    version: number,
    ms: number,
    signal: AbortSignal,
  ): Promise<readonly Diagnostic[] | null> {
    const deadline = this.#clock.now() + ms;
    for (;;) {
      const known = this.#published.get(path);
      const fits = known !== undefined && (known.version === null || known.version >= version);
      const left = deadline - this.#clock.now();
      if (left <= 0) return fits ? known.items : null;
      const changed = await this.#next(path, fits ? Math.min(QUIET_MS, left) : left, signal);
      signal.throwIfAborted();
      if (!changed && fits) return known.items;
    }
  }

  /** What is known now, without waiting. */
  known(path: string): readonly Diagnostic[] {
    return this.#published.get(path)?.items ?? [];
  }

  /** True if the server told of the file before the time was over. */
  async #next(path: string, ms: number, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    let told = false;
    const wake = () => {
      told = true;
      over.abort();
    };
    const waiting = this.#waiting.get(path) ?? new Set();
    this.#waiting.set(path, waiting.add(wake));
    try {
      await pause(this.#clock, ms, AbortSignal.any([over.signal, signal]));
      return told;
    } finally {
      waiting.delete(wake);
      if (waiting.size === 0) this.#waiting.delete(path);
    }
  }
}

/** Null: it is not a file of this machine. */
export function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}
