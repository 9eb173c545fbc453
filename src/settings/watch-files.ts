import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { errorMessage } from "../lib/errors.ts";

/**
 * Events of one folder until it is watched again. The system's events are read until there is none left, so that a program
 * that makes more than can be read, a build for example, would let nothing else run.
 */
const MOST_EVENTS = 1_000;

export interface FileWatch {
  /** Absolute; they need not exist, nor their folders. */
  readonly files: readonly string[];
  readonly signal: AbortSignal;
  /** Something happened at one of them, often more than once for one change, or so much that it may have: then `renew`. */
  onEvent(): void;
  /** It cannot be watched (any more); a reason, once per folder. */
  onFailure(reason: string): void;
}

/**
 * Tells of changes of files by what the system tells of their folders: a file may be made later, and editors
 * put a new one in its place. A folder that is not there is looked for in the folder above it. Ends with the
 * signal; keeps no process alive.
 */
export class FolderWatchers {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #failed = new Set<string>();
  readonly #watch: FileWatch;

  constructor(watched: FileWatch) {
    this.#watch = watched;
    watched.signal.addEventListener("abort", () => this.#close(), { once: true });
    this.renew();
  }

  /** Watches the folders that are there now: one may have come, gone, or been replaced by another. */
  renew(): void {
    if (this.#watch.signal.aborted) return;
    const wanted = new Map(this.#watch.files.flatMap(foldersAbout));
    for (const [key, watcher] of this.#watchers) {
      if (wanted.has(key)) continue;
      this.#watchers.delete(key);
      watcher.close();
    }
    for (const [key, { folder, names }] of wanted)
      if (!this.#watchers.has(key)) this.#add(key, folder, names);
  }

  #add(key: string, folder: string, names: ReadonlySet<string>): void {
    const fail = (error: unknown) => {
      this.#watchers.delete(key);
      if (this.#failed.has(folder)) return;
      this.#failed.add(folder);
      this.#watch.onFailure(`${folder} cannot be watched (${errorMessage(error)})`);
    };
    try {
      let events = 0;
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        events += 1;
        if (events === MOST_EVENTS) {
          this.#watchers.delete(key);
          watcher.close();
        }
        // Without a name it could have been any of them.
        if (events === MOST_EVENTS || name === null || names.has(name)) this.#watch.onEvent();
      });
      watcher.on("error", fail);
      this.#watchers.set(key, watcher);
    } catch (error) {
      fail(error);
    }
  }

  #close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

interface WatchedFolder {
  readonly folder: string;
  readonly names: ReadonlySet<string>;
}

/** The file's folder and the one above it, as far as they are there; one that was replaced has another key. */
function foldersAbout(file: string): (readonly [key: string, WatchedFolder])[] {
  const folder = dirname(file);
  const above = dirname(folder);
  const own = entryFor(folder, [basename(file), basename(folder)]);
  return [...own, ...(above === folder ? [] : entryFor(above, [basename(folder)]))];
}

function entryFor(folder: string, names: readonly string[]): (readonly [string, WatchedFolder])[] {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return [];
  return [[`${stats.dev}:${stats.ino} ${folder} ${names.join("/")}`, { folder, names: new Set(names) }]];
}
