import { createHash, hash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from "node:fs";
import * as z from "zod/mini";
import { unlessMissing } from "../../lib/on-disk.ts";
import { isSafeRelativePath } from "./locate.ts";

/** What is at a path on disk: raw bytes, before any filter. */
export const FileState = z.object({
  kind: z.enum(["file", "link", "other"]),
  /** Permissions, without the file type. */
  mode: z.number(),
  size: z.number(),
  /** SHA-256 of the bytes or of a link's target; for other types an identifier. */
  digest: z.string(),
  /** Nanoseconds since 1970. */
  mtime: z.string(),
});
export type FileState = z.infer<typeof FileState>;

/** The object format of a repository. */
export type ObjectFormat = "sha1" | "sha256";

export interface FileWithBlob {
  readonly state: FileState;
  /** The ID that git would give these bytes, without filters; empty if not requested or without bytes. */
  readonly blob: string;
}

const CHUNK_BYTES = 1 << 20;

/** Returns null if nothing exists. A write during the read changes the time, so that a second read differs. */
export function stateOf(path: string): FileState | null {
  return readFileState(path, null)?.state ?? null;
}

export function readFileState(path: string, format: ObjectFormat | null): FileWithBlob | null {
  const found = lstatOf(path);
  if (found === null) return null;
  const { size, mode } = found;
  const rest = { mode: Number(mode & 0o7777n), mtime: String(found.mtimeNs) };
  if (found.isSymbolicLink()) {
    const target = readlinkSync(path, { encoding: "buffer" });
    const state = { kind: "link" as const, ...rest, size: target.length, digest: sha256(target) };
    return { state, blob: format === null ? "" : blobOf(target, format) };
  }
  if (!found.isFile()) {
    const digest = `${found.dev}:${found.ino}`;
    return { state: { kind: "other", ...rest, size: 0, digest }, blob: "" };
  }
  const read = readThrough(path, format);
  if (read === null) return null;
  return { state: { kind: "file", ...rest, size: Number(size), digest: read.digest }, blob: read.blob };
}

/** Treats a parent that is not a directory as nothing there. */
export function lstatOf(path: string) {
  return unlessMissing(() => lstatSync(path, { bigint: true }), null);
}

/** True if readers cannot tell them apart; compares times only if Troupe did not set them. */
export function isSameContent(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other;
  return one.kind === other.kind && one.digest === other.digest && one.size === other.size;
}

/** Also true only if nothing was written since, not even the same bytes. */
export function isUntouched(one: FileState | null, other: FileState | null): boolean {
  return isSameContent(one, other) && one?.mtime === other?.mtime;
}

/** Links have no permissions to choose. */
export function isSameFile(one: FileState | null, other: FileState | null): boolean {
  return isSameContent(one, other) && (one?.kind === "link" || one?.mode === other?.mode);
}

function readThrough(path: string, format: ObjectFormat | null) {
  const file = unlessMissing(() => openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)), null);
  if (file === null) return null;
  try {
    const { size } = fstatSync(file);
    const raw = createHash("sha256");
    const blob = format === null ? null : createHash(format).update(`blob ${size}\0`);
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1));
    for (let got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) {
      const bytes = chunk.subarray(0, got);
      raw.update(bytes);
      blob?.update(bytes);
    }
    return { digest: raw.digest("hex"), blob: blob?.digest("hex") ?? "" };
  } finally {
    closeSync(file);
  }
}

function sha256(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

export function blobOf(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

const Within = z.string().check(z.refine(isSafeRelativePath));

/** One file that changes. */
export const FileMove = z.object({
  /** Relative to the root, with `/`. */
  path: Within,
  /** The file before and after; null for no file. */
  before: z.nullable(FileState),
  after: z.nullable(FileState),
  /** Path of the new file, relative to `bytes`; null for a deletion. */
  incoming: z.nullable(Within),
});
export type FileMove = z.infer<typeof FileMove>;

/** Files of one directory that change together, all or none. Plain data: a roll-back after a crash reads it. */
export const FileExchange = z.object({
  /** Absolute path of their directory. */
  root: z.string(),
  /** Absolute path on the same device, used by this merge alone, of the new and the replaced files. */
  bytes: z.string(),
  /** The directory in `bytes` of the replaced files, named by their number in `moves`. */
  aside: Within,
  /** Deletions first: a directory may become a file, and a file a directory. */
  moves: z.array(FileMove),
  /** Directories to make, outer ones first, with their permissions if these matter. */
  made: z.array(z.object({ path: Within, mode: z.nullable(z.number()) })),
  /** Directories to remove if they become empty, inner ones first, with the permissions they had. */
  emptied: z.array(z.object({ path: Within, mode: z.number() })),
});
export type FileExchange = z.infer<typeof FileExchange>;

/** Returns the parent directories, outer ones first. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** Maps names that some disks treat as equal to one string. */
export function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
