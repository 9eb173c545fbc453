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

/** Up to this size files are read and written synchronously: that takes microseconds, less than the thread pool. */
export const MAX_SYNC_BYTES = 1024 * 1024;

/** An open file, by its descriptor. */
export interface OpenFile {
  readonly fd: number;
  /** Reads all of it; a large one through the thread pool, so that the agent can be stopped. */
  readFile(): Promise<Buffer>;
  /** Idempotent. */
  close(): void;
}

/** An open file with its real path. The caller closes it. */
export interface OpenRegularFile {
  readonly type: "file";
  readonly file: OpenFile;
  readonly path: string;
  readonly stats: Stats;
}

export interface Unusable {
  readonly type: "unusable";
  readonly reason: string;
}

export function unusable(reason: string): Unusable {
  return { type: "unusable", reason };
}

/**
 * Opens a regular file for reading. Checks it before, because opening a device can have effects, and after, because it may
 * have been replaced; without blocking, because a pipe without a writer would hold the thread forever; and without
 * following a link that has replaced the last part of the real path.
 */
export async function openRegular(path: string): Promise<OpenRegularFile | Unusable> {
  try {
    const real = realpathSync.native(path);
    const before = irregular(real, statSync(real));
    if (before !== null) return unusable(before);
    const file = openFile(real, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const stats = fstatSync(file.fd);
    const after = irregular(real, stats);
    if (after === null) return { type: "file", file, path: real, stats };
    file.close();
    return unusable(after);
  } catch (error) {
    return unusable(await pathProblem(path, error));
  }
}

/**
 * Works with an open file, then closes it. An error of the system is a failure like a missing file: some files can be
 * opened and not read (a broken disk, another process's memory under /proc).
 */
export async function withFile<T>(
  { path, file }: OpenRegularFile,
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
      return fstatSync(fd).size <= MAX_SYNC_BYTES ? readFileSync(fd) : promisify(readFile)(fd);
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** Returns why this is not a regular file; null if it is one. */
export function irregular(path: string, stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory())
    return `${path} is a directory, not a file. List its files with Glob (path: ${JSON.stringify(path)}, pattern: "*").`;
  return `${path} is a ${stats.isFIFO() ? "named pipe" : stats.isSocket() ? "socket" : "device"}, not a file; it cannot be read or written. Name an ordinary file.`;
}

/** Images the Messages API takes. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type FileKind =
  | { readonly type: "image"; readonly mediaType: ImageType }
  | { readonly type: "document" }
  | { readonly type: "notebook" }
  /** Probably text. */
  | { readonly type: "other" };

/** Bytes at the start of a file that show its kind. */
export const KIND_BYTES = 16;

/** Returns the kind of a file by its first bytes, not its name: a Git LFS pointer is text named `.png`. */
export function fileKind(path: string, start: Uint8Array): FileKind {
  const text = Buffer.from(start).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return { type: "image", mediaType: "image/png" };
  if (text.startsWith("\xff\xd8\xff")) return { type: "image", mediaType: "image/jpeg" };
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a"))
    return { type: "image", mediaType: "image/gif" };
  if (text.startsWith("RIFF") && text.startsWith("WEBP", 8))
    return { type: "image", mediaType: "image/webp" };
  if (text.startsWith("%PDF-")) return { type: "document" };
  return { type: path.toLowerCase().endsWith(".ipynb") ? "notebook" : "other" };
}
