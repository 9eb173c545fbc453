import { EventEmitter } from "node:events";
import { type Clock, pause } from "../lib/clock.ts";
import { pathOf } from "../lib/paths.ts";
import { type Diagnostic, PublishedDiagnostics } from "./results.ts";

/** Files whose problems are kept; a server reports those of every open file. */
const MOST_FILES = 2_000;
/** A server may report on a file in parts, each replacing the one before. */
const QUIET_MS = 300;

interface Published {
  readonly version: number | null;
  readonly items: readonly Diagnostic[];
}

/** The problems that one server has reported by itself. */
export class Diagnostics {
  readonly #clock: Clock;
  readonly #published = new Map<string, Published>();
  /** Emits the path of each report. */
  readonly #reports = new EventEmitter().setMaxListeners(0);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(params: unknown): void {
    const { data } = PublishedDiagnostics.safeParse(params);
    const path = data === undefined ? null : pathOf(data.uri);
    if (data === undefined || path === null) return;
    this.#published.delete(path);
    this.#published.set(path, { version: data.version ?? null, items: data.diagnostics });
    for (const oldest of this.#published.keys()) {
      if (this.#published.size <= MOST_FILES) break;
      this.#published.delete(oldest);
    }
    this.#reports.emit(path);
  }

  /** Waits until the server has reported on this version of a file and is quiet; null if it does not within the time. */
  async of(
    path: string,
    version: number,
    ms: number,
    signal: AbortSignal,
  ): Promise<readonly Diagnostic[] | null> {
    const deadline = this.#clock.now() + ms;
    for (;;) {
      const known = this.#published.get(path);
      const isCurrent = known !== undefined && (known.version === null || known.version >= version);
      const left = deadline - this.#clock.now();
      if (left <= 0) return isCurrent ? known.items : null;
      const hasChanged = await this.#waitForReport(path, isCurrent ? Math.min(QUIET_MS, left) : left, signal);
      signal.throwIfAborted();
      if (!hasChanged && isCurrent) return known.items;
    }
  }

  known(path: string): readonly Diagnostic[] {
    return this.#published.get(path)?.items ?? [];
  }

  async #waitForReport(path: string, ms: number, signal: AbortSignal): Promise<boolean> {
    const report = new AbortController();
    const onReport = () => report.abort();
    this.#reports.once(path, onReport);
    await pause(this.#clock, ms, AbortSignal.any([report.signal, signal]));
    this.#reports.off(path, onReport);
    return report.signal.aborted;
  }
}
