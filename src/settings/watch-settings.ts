import { type FSWatcher, type Stats, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { type Clock, pause } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { canonicalJson } from "../lib/json.ts";

/** Milliseconds in which further events belong to the same change: an editor causes several. */
const QUIET_MS = 100;

/** Events of a directory until it is watched again: Node reads until none is left, and a build can cause them faster. */
const MOST_EVENTS = 1_000;

/** What was read, and the files that it is from. Equal content is no change. */
interface Watched {
  readonly files: readonly string[];
}

export interface SettingsWatch<T extends Watched> {
  /** What the files hold, in the plural. */
  readonly what?: string;
  /** What is known already, with its files: only a difference from it is a change. */
  readonly known: T;
  read(): Promise<T>;
  onChange(fresh: T): void;
  /** A sentence: some changes, or all, will not be seen from now on. */
  onProblem(sentence: string): void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Reads the settings again whenever one of their files changes, until the signal is aborted. Does not poll. Reads once
 * at a time; a change during one causes another.
 */
export function watchSettings<T extends Watched>(watched: SettingsWatch<T>): void {
  const { what = "settings", clock, signal, read, onChange, onProblem } = watched;
  let known = contentOf(watched.known);
  let pending = false;
  let busy = false;

  const watchDirs = watchFiles(watched.known.files, {
    signal,
    onEvent() {
      pending = true;
      if (!busy) void readChanges();
    },
    onFailure: (reason) =>
      onProblem(`${reason}, so changes of ${what} there count only in the next session.`),
  });

  async function readChanges(): Promise<void> {
    busy = true;
    try {
      while (pending && !signal.aborted) {
        await pause(clock, QUIET_MS, signal);
        pending = false;
        // Before the read, or a change between the two would be missed.
        watchDirs();
        if (signal.aborted) return;
        const fresh = await read();
        const now = contentOf(fresh);
        if (signal.aborted || now === known) continue;
        known = now;
        onChange(fresh);
      }
    } catch (error) {
      onProblem(`A change of ${what} could not be read: ${errorMessage(error)}`);
    } finally {
      busy = false;
    }
  }
}

/** Equal for settings with the same content. Leaves say nothing more, and their schemas are not data. */
const contentOf = (read: Watched): string => canonicalJson({ ...read, leaves: [] });

interface FileWatch {
  readonly signal: AbortSignal;
  /** Something happened to one of the files; often called several times for one change. */
  onEvent(): void;
  /** Called once per directory that cannot be watched. */
  onFailure(reason: string): void;
}

/**
 * Watches files, which need not exist, through their directories: a file can appear later, and editors replace it. If a
 * directory does not exist, the one above it is watched. Ends with the signal and keeps no process alive. Returns a
 * function that watches the directories that exist now: one may have been created, deleted or replaced.
 */
function watchFiles(files: readonly string[], { signal, onEvent, onFailure }: FileWatch): () => void {
  const watchers = new Map<string, FSWatcher>();
  const failed = new Set<string>();

  function close(key: string): void {
    watchers.get(key)?.close();
    watchers.delete(key);
  }

  function add(key: string, { dir, names }: WatchedDir): void {
    const fail = (error: unknown) => {
      close(key);
      if (!failed.has(dir)) onFailure(`${dir} cannot be watched (${errorMessage(error)})`);
      failed.add(dir);
    };
    try {
      let events = 0;
      const watcher = watch(dir, { persistent: false }, (_, name) => {
        events += 1;
        if (events >= MOST_EVENTS) close(key);
        // Without a name it could be any of them.
        if (events >= MOST_EVENTS || name === null || names.includes(name)) onEvent();
      });
      watcher.on("error", fail);
      watchers.set(key, watcher);
    } catch (error) {
      fail(error);
    }
  }

  function watchDirs(): void {
    if (signal.aborted) return;
    const wanted = new Map(files.flatMap(dirsOf).map((one) => [one.key, one]));
    for (const key of watchers.keys()) if (!wanted.has(key)) close(key);
    for (const [key, one] of wanted) if (!watchers.has(key)) add(key, one);
  }

  signal.addEventListener("abort", () => [...watchers.keys()].forEach(close), { once: true });
  watchDirs();
  return watchDirs;
}

interface WatchedDir {
  readonly key: string;
  readonly dir: string;
  readonly names: readonly string[];
}

/** Returns the file's directory and the one above it, as far as they exist. */
function dirsOf(file: string): WatchedDir[] {
  const dir = dirname(file);
  const above = dirname(dir);
  const own = { dir, names: [basename(file), basename(dir)] };
  return [own, ...(above === dir ? [] : [{ dir: above, names: [basename(dir)] }])].flatMap((one) => {
    const stats = lookAt(one.dir);
    if (!stats?.isDirectory()) return [];
    return [{ ...one, key: `${stats.dev}:${stats.ino} ${one.dir} ${one.names.join("/")}` }];
  });
}

/** Null if it does not exist or cannot be looked at, such as a link to itself. */
function lookAt(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
