import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFile,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { promisify } from "node:util";
import { pathProblem } from "./paths.ts";
import { failed, type ToolFailure } from "./tool.ts";

/** What is read or written within microseconds, and so not sent through the thread pool. */
export const AT_ONCE_BYTES = 1024 * 1024;

/** What is open, by its descriptor. */
export interface OpenFile {
  readonly fd: number;
  /** All of it; a large one through the thread pool, so that the agent can be stopped meanwhile. */
  readFile(): Promise<Buffer>;
  /** Idempotent. */
  close(): void;
}

/** An open file, under its real path. Whoever asked for it closes it. */
export interface RegularFile {
  readonly type: "file";
  readonly file: OpenFile;
  readonly path: string;
  readonly stats: Stats;
}

export interface Unusable {
  readonly type: "unusable";
  readonly reason: string;
}

/**
 * Opens a regular file to read. Looked at before it is opened, because opening a device can act on it, and
 * again afterwards, because it may have been replaced; not blocking, because a pipe without a writer would
 * hold the thread for ever; never through a link that has come into the place of the real path's last part.
 */
export async function openRegular(path: string): Promise<RegularFile | Unusable> {
  try {
    // At once: these take microseconds, and the way through the thread pool takes many more.
    const real = realpathSync.native(path);
    const before = irregular(real, statSync(real));
    if (before !== null) return { type: "unusable", reason: before };
    const file = openFile(real, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const stats = fstatSync(file.fd);
    const after = irregular(real, stats);
    if (after === null) return { type: "file", file, path: real, stats };
    file.close();
    return { type: "unusable", reason: after };
  } catch (error) {
    return { type: "unusable", reason: await pathProblem(path, error) };
  }
}

/**
 * Does something with an open file, then closes it. What the system has against reading it is a failure like a
 * missing file: some files can be opened and not read (a broken disk, another's memory under /proc).
 */
export async function withFile<T>(
  { path, file }: RegularFile,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T | ToolFailure> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return failed(await pathProblem(path, error));
  } finally {
    file.close();
  }
}

function openFile(path: string, flags: number): OpenFile {
  const fd = openSync(path, flags);
  let isOpen = true;
  return {
    fd,
    async readFile() {
      return fstatSync(fd).size <= AT_ONCE_BYTES ? readFileSync(fd) : promisify(readFile)(fd);
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** Why this is no file to read or write, or null where it is one. */
export function irregular(path: string, stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory())
    return `${path} is a folder, not a file. List what is in it with Glob (path: ${JSON.stringify(path)}, pattern: "*").`;
  return `${path} is a ${stats.isFIFO() ? "named pipe" : stats.isSocket() ? "socket" : "device"}, not a file; it cannot be read or written. Name an ordinary file.`;
}
