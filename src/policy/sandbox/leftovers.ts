import { randomBytes } from "node:crypto";
import {
  type BigIntStats,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod/mini";

/** What the names of sandboxes' folders begin with. */
export const SANDBOX_FOLDER = "troupe-sandbox-";

/** Which process may have left what. */
const Record = z.object({ pid: z.number(), folder: z.string(), paths: z.array(z.string()) });

/**
 * A mount needs something to lie on, so a denied name that does not exist is an empty file or folder for as long as
 * a command runs. It is taken away afterwards, unless the process is killed; then the next one does it, by these
 * notes. They lie where no command can read or write.
 */
export class Leftovers {
  readonly #folder: string;
  readonly #file: string;
  readonly #noted = new Set<string>();

  readonly #own: string;

  /** `own`: the sandbox's folder for temporary files, which goes with the rest. */
  constructor(folder: string, own: string) {
    this.#folder = folder;
    this.#own = own;
    this.#file = join(folder, `${process.pid}-${randomBytes(6).toString("hex")}.json`);
  }

  /** Before the mounts are made. Throws where it cannot be noted: then nothing is to be left either. */
  note(paths: readonly string[]): void {
    const known = this.#noted.size;
    for (const path of paths) this.#noted.add(path);
    if (this.#noted.size === known) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const record: z.infer<typeof Record> = { pid: process.pid, folder: this.#own, paths: [...this.#noted] };
    writeFileSync(this.#file, JSON.stringify(record), { mode: 0o600 });
  }

  /** Takes away what processes left that are no more. Never throws: it only tidies. */
  sweep(): void {
    for (const name of namesIn(this.#folder)) {
      const file = join(this.#folder, name);
      const record = recordIn(file);
      if (record !== null && isRunning(record.pid)) continue;
      // The longest first: a folder can only go when it is empty.
      for (const path of [...(record?.paths ?? [])].sort((a, b) => b.length - a.length)) takeAway(path);
      if (record !== null && isOurs(record.folder)) rmSync(record.folder, { recursive: true, force: true });
      rmSync(file, { force: true });
    }
  }

  /** Nothing is left. */
  clear(): void {
    rmSync(this.#file, { force: true });
  }
}

/** A real folder of this user's with the name that we give to ours. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const mine = process.getuid === undefined || found?.uid === process.getuid();
  return found?.isDirectory() === true && mine && basename(folder).startsWith(SANDBOX_FOLDER);
}

function takeAway(path: string): void {
  try {
    const found = lstatSync(path, { bigint: true });
    if (isPlaceholder(found)) unlinkSync(path);
    // An empty folder; it fails on any other.
    else if (found.isDirectory()) rmdirSync(path);
  } catch {
    // Gone, or something of a person's by now.
  }
}

/** bubblewrap makes them empty and without any right to write, which no editor does. */
function isPlaceholder(found: BigIntStats): boolean {
  return found.isFile() && found.size === 0n && found.nlink === 1n && (found.mode & 0o222n) === 0n;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

function recordIn(file: string): z.infer<typeof Record> | null {
  try {
    const read = z.safeParse(Record, JSON.parse(readFileSync(file, "utf8")));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** A pid that another process has by now only keeps the notes until that one has ended. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
