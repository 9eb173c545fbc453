import { randomBytes } from "node:crypto";
import {
  cpSync,
  type FSWatcher,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { exists, listNames, removeDirectory } from "../../lib/on-disk.ts";

/** What the names of sandboxes' own directories begin with. */
export const SANDBOX_DIRECTORY = "troupe-sandbox-";

/** No command of the foreground runs longer. */
const LONGEST_COMMAND_MS = 600_000;

const Note = z.object({ pid: z.number(), directory: z.string(), absent: z.array(z.string()) });

/**
 * Moves protected names that a command has created to a private directory. After a kill, a note on disk lets the next
 * session do the same.
 */
export class MadeNames {
  readonly #state: string;
  readonly #own: string;
  readonly #notes: string;
  readonly #file: string;
  readonly #noted = new Set<string>();

  /** `own`: the temporary directory, which is removed with the rest. */
  constructor(state: string, own: string) {
    this.#state = state;
    this.#own = own;
    this.#notes = join(state, "notes");
    this.#file = join(this.#notes, `${process.pid}-${randomBytes(6).toString("hex")}.json`);
  }

  /**
   * Watches paths that do not exist before a command. Returns a function that ends this, to be called with other paths
   * that it has created and may not: it returns a sentence if there is one. Throws if the note cannot be written.
   */
  guard(absent: readonly string[]): (others?: readonly string[]) => string | null {
    for (const path of absent) this.#noted.add(path);
    // Written each time: its age limits how long after a kill a name may be a command's.
    if (this.#noted.size > 0) {
      mkdirSync(this.#notes, { recursive: true, mode: 0o700 });
      const note: z.infer<typeof Note> = { pid: process.pid, directory: this.#own, absent: [...this.#noted] };
      writeFileSync(this.#file, JSON.stringify(note), { mode: 0o600 });
    }
    const made = new Set<string>();
    const take = (path: string) => {
      if (exists(path) && this.#move(path)) made.add(basename(path));
    };
    // Immediately, before settings in it are read.
    const watchers = watchAll(absent, take);
    return (others = []) => {
      for (const watcher of watchers) watcher.close();
      for (const path of [...absent, ...others]) take(path);
      if (made.size === 0) return null;
      return `The sandbox does not let a command make ${[...made].join(", ")}: what it made was moved to ${this.#moved}.`;
    };
  }

  /** Does the same for killed sessions. Names created later are the user's own. */
  sweep(): void {
    for (const name of listNames(this.#notes).filter((one) => one.endsWith(".json"))) {
      const file = join(this.#notes, name);
      const note = noteIn(file);
      if (note === null || isRunning(note.pid)) continue;
      const until = lstatSync(file).mtimeMs + LONGEST_COMMAND_MS;
      for (const path of note.absent)
        if ((changedAt(path) ?? Number.POSITIVE_INFINITY) <= until) this.#move(path);
      if (isOurs(note.directory)) attempt(() => removeDirectory(note.directory));
      rmSync(file, { force: true });
    }
  }

  /** Called when no command runs. */
  clear(): void {
    rmSync(this.#file, { force: true });
  }

  get #moved(): string {
    return join(this.#state, "moved");
  }

  /** False if another process has moved it since. */
  #move(path: string): boolean {
    const to = join(
      this.#moved,
      `${new Date().toISOString().replace(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}`,
    );
    mkdirSync(to, { recursive: true, mode: 0o700 });
    const target = join(to, basename(path));
    try {
      renameSync(path, target);
      return true;
    } catch (error) {
      if (!exists(path)) return false;
      // Another disk.
      if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
      cpSync(path, target, { recursive: true, verbatimSymlinks: true });
      rmSync(path, { recursive: true });
      return true;
    }
  }
}

/** Watches paths; those that cannot be watched are checked when the command has ended. */
function watchAll(paths: readonly string[], take: (path: string) => void): FSWatcher[] {
  return [...Map.groupBy(paths, dirname)].flatMap(([directory, within]) => {
    const names = new Set(within.map((path) => basename(path)));
    try {
      const watcher = watch(directory, { persistent: false }, (_, name) => {
        if (name !== null && names.has(name)) attempt(() => take(join(directory, name)));
      });
      return [watcher.on("error", () => watcher.close())];
    } catch {
      return [];
    }
  });
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // A name: the command's end tries again, where its result can say why. A directory of a killed session only takes room.
  }
}

/** A real directory of this user's with the name that we give to ours. */
function isOurs(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  const mine = process.getuid === undefined || found?.uid === process.getuid();
  return found?.isDirectory() === true && mine && basename(directory).startsWith(SANDBOX_DIRECTORY);
}

function changedAt(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? null;
}

function noteIn(file: string): z.infer<typeof Note> | null {
  try {
    const read = z.safeParse(Note, JSON.parse(readFileSync(file, "utf8")));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** A pid that another process has by now only keeps the note until that one has ended. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
