import { appendFileSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../../lib/json.ts";

const FileStamp = z.nullable(z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() }));
/** Tells whether a file is as it was, without its content; null without a file. */
export type FileStamp = z.infer<typeof FileStamp>;

/** What a call found in a file before it wrote, what it left, and what was restored. */
const SavedEntry = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("before"),
    call: z.string(),
    path: z.string(),
    state: FileStamp,
    /** The name of its copy, which is from before the first call of the same run; null without one. */
    copy: z.nullable(z.string()),
  }),
  z.object({ type: z.literal("after"), call: z.string(), path: z.string(), state: FileStamp }),
  /** The user returned to what it was. */
  z.object({ type: z.literal("restored"), path: z.string(), state: FileStamp }),
]);
export type SavedEntry = z.infer<typeof SavedEntry>;

/** The directory of a session's copies. */
export function savedDir(folder: string): string {
  return join(folder, "files");
}

function indexFile(folder: string): string {
  return join(savedDir(folder), "index.jsonl");
}

export function appendEntries(folder: string, entries: readonly SavedEntry[]): void {
  if (entries.length === 0) return;
  appendFileSync(indexFile(folder), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), {
    mode: 0o600,
  });
}

/** Returns the entries in order; lines that a crash has torn are left out. */
export function readEntries(folder: string): readonly SavedEntry[] {
  let text: string;
  try {
    text = readFileSync(indexFile(folder), "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const entry = SavedEntry.safeParse(parseJson(line));
    return entry.success ? [entry.data] : [];
  });
}

export function stampOf(path: string): FileStamp {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : { ino: stats.ino, size: stats.size, mtimeMs: stats.mtimeMs };
}

export function isSameStamp(one: FileStamp, other: FileStamp): boolean {
  if (one === null || other === null) return one === other;
  return one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;
}

/** Returns a path without links; what of it does not exist yet stays as it is. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
  }
}
