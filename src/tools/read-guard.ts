import { hash } from "node:crypto";
import type { Stats } from "node:fs";
import type { LastWriter } from "../mailbox/calls.ts";
import type { ReadEntry } from "../mailbox/messages.ts";
import type { OpenFile } from "./regular-file.ts";
import { readTextLines } from "./text-lines.ts";
import { FILE_RULES, type ThreadCallContext } from "./tool.ts";

/** Up to this many bytes the ledger has a digest of the whole file, not only of the lines shown. */
export const WHOLE_DIGEST_BYTES = 1024 * 1024;

const UNLIMITED = Number.POSITIVE_INFINITY;

export function contentDigest(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

/** Returns a ledger entry for a file as an agent sees it now. */
export function seenEntry(
  path: string,
  { size, mtimeMs, ino }: Stats,
  shown: Pick<ReadEntry, "digest" | "lines" | "wholeDigest">,
): ReadEntry {
  return { path, size, mtimeMs, inode: ino, ...shown };
}

/** Returns the entry of a file whose bytes the agent knows, because it saw or wrote all of it. */
export function knownEntry(path: string, stats: Stats, bytes: Uint8Array): ReadEntry {
  const digest = contentDigest(bytes);
  return seenEntry(path, stats, {
    digest,
    ...(bytes.length <= WHOLE_DIGEST_BYTES ? { wholeDigest: digest } : {}),
  });
}

/** A file to be changed: its bytes, and its state when they were read. */
export interface Current {
  readonly path: string;
  readonly stats: Stats;
  readonly bytes: Uint8Array;
  readonly file: OpenFile;
}

/** Whether an agent has seen a file as it is now; if not, a reason for it. */
export type ReadState =
  | { readonly type: "seen" }
  | { readonly type: "unread" | "changed"; readonly reason: string };

/**
 * Checks that the agent has seen the file as it is now (A9.1, A9.2, fault 47). Another size, time, inode or digest means
 * another file (A22.8).
 */
export async function readState(
  current: Current,
  { reads, lastWriters, signal }: Pick<ThreadCallContext, "reads" | "lastWriters" | "signal">,
): Promise<ReadState> {
  const { path } = current;
  const entry = reads.get(path);
  const by = writers(lastWriters);
  if (!entry) {
    const last = by === "" ? "" : ` It was last written by ${by}.`;
    const reason = `${path} has not been read in this conversation.${last} Read it first, then edit it.`;
    return { type: "unread", reason };
  }
  if (isSame(entry, current.stats) && (await hasSameContent(entry, current, signal))) return { type: "seen" };
  const who = by === "" ? "" : ` by ${by}`;
  const reason = `${path} was changed${who} since you read it, and was left as it is. Read it again, then edit it.`;
  return { type: "changed", reason };
}

/**
 * Returns why a file must not be overwritten unread: it has another agent's work, which this one has not seen. Any other
 * file may be (A8.6), unless the settings require reading it first (A22.10).
 */
export function overwriteProblem(
  path: string,
  stats: Stats,
  {
    reads,
    lastWriters,
    fileRules = FILE_RULES,
  }: Pick<ThreadCallContext, "reads" | "lastWriters" | "fileRules">,
): string | null {
  const entry = reads.get(path);
  if (entry && isSame(entry, stats)) return null;
  if (lastWriters.length === 0) {
    if (fileRules.write === "any") return null;
    const why = entry ? "was changed since you read it" : "exists, and you have not read it";
    return `${path} ${why}. Read it, then write again and keep what should stay.`;
  }
  return `${path} was written by ${writers(lastWriters)}, and you have not seen that. Read it, then write again and keep that work.`;
}

function writers(list: readonly LastWriter[]): string {
  return list
    .map(({ actor, description }) => `another agent (${actor}, ${JSON.stringify(description)})`)
    .join(" and ");
}

function isSame(entry: ReadEntry, { size, mtimeMs, ino }: Stats): boolean {
  return entry.size === size && entry.mtimeMs === mtimeMs && entry.inode === ino;
}

async function hasSameContent(
  { wholeDigest, digest, lines }: ReadEntry,
  { bytes, file }: Current,
  signal: AbortSignal,
): Promise<boolean> {
  if (wholeDigest !== undefined) return contentDigest(bytes) === wholeDigest;
  if (lines === undefined) return contentDigest(bytes) === digest;
  const again = await readTextLines(file, { ...lines, maxChars: UNLIMITED, size: UNLIMITED }, signal);
  return again.type === "text" && again.digest === digest;
}
