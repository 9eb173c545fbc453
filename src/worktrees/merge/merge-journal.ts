import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { unlessMissing } from "../../lib/on-disk.ts";
import { mergeFolder, ourFolder } from "../layout.ts";
import { Owner } from "../protocol.ts";
import type { Disk } from "./disk.ts";
import { FileExchange } from "./file-state.ts";
import { bytesOf, locateMerge } from "./locate.ts";

/** An entry of an index, or null. */
export const IndexEntry = z.nullable(z.object({ mode: z.string(), id: z.string() }));
export type IndexEntry = z.infer<typeof IndexEntry>;

/** The additional work of a merge that commits. */
export const Committed = z.object({
  /** HEAD before the merge; null before the first commit. */
  head: z.nullable(z.string()),
  /** The branch that HEAD points to; null if detached. */
  branch: z.nullable(z.string()),
  commit: z.string(),
  entries: z.array(z.object({ path: z.string(), before: IndexEntry, after: IndexEntry })),
});
export type Committed = z.infer<typeof Committed>;

export const MergeStart = z.object({
  type: z.literal("merge-start"),
  merge: z.string(),
  at: z.number(),
  /** The top directory of the checkout. */
  top: z.string(),
  gitDir: z.string(),
  tree: z.string(),
  owner: Owner,
  title: z.string(),
  exchange: FileExchange,
  committed: z.nullable(Committed),
});
export type MergeStart = z.infer<typeof MergeStart>;
/** HEAD had moved, so the commit was made again on it; null if HEAD has everything. */
const MergeCommit = z.object({ type: z.literal("merge-commit"), committed: z.nullable(Committed) });
const LeftPaths = z.array(z.object({ path: z.string(), kept: z.string() }));
const MergeOutcome = z.enum(["merged", "taken back"]); // word-ok: as recorded
export type MergeOutcome = z.infer<typeof MergeOutcome>;
const MergeEnd = z.object({
  type: z.literal("merge-end"),
  outcome: MergeOutcome,
  left: LeftPaths,
});
const UndoStart = z.object({
  type: z.literal("undo-start"),
  exchange: FileExchange,
  committed: z.nullable(Committed),
});
const UndoEnd = z.object({
  type: z.literal("undo-end"),
  outcome: z.enum(["undone", "taken back"]), // word-ok: as recorded
  left: LeftPaths,
});
const MergeRecord = z.discriminatedUnion("type", [MergeStart, MergeCommit, MergeEnd, UndoStart, UndoEnd]);
type MergeRecord = z.infer<typeof MergeRecord>;

/** One merge, as recorded in its journal. */
export interface MergeStory {
  readonly start: MergeStart;
  /** `elsewhere`: of a checkout that does not belong to this repository; never touch it. */
  readonly state: "open" | "merged" | "taken back" | "undoing" | "undone" | "elsewhere"; // word-ok: as recorded
  /** The current or last undo. */
  readonly undo: z.infer<typeof UndoStart> | null;
  /** What the last roll-back could not restore. */
  readonly left: z.infer<typeof LeftPaths>;
  /** The number of undos started. */
  readonly undos: number;
}

const JOURNAL = "journal.jsonl";
const MERGE_NAME = /^[\w-]+$/;

export function record(common: string, merge: string, entry: MergeRecord, disk: Disk): void {
  disk.append(join(mergeFolder(common, merge), JOURNAL), `${JSON.stringify(entry)}\n`);
}

/** Returns null if it was never started, as far as can be read. */
export function mergeStateOf(common: string, merge: string): MergeStory | null {
  const text = textOf(join(mergeFolder(common, merge), JOURNAL));
  if (text === null) return null;
  const records = text.split("\n").slice(0, -1).flatMap(recordOf);
  const story = records.reduce<MergeStory | null>(addRecord, null);
  return story && atHome(common, merge, story);
}

/** Resolves its directories as they are now. */
function atHome(common: string, merge: string, { start, undo, ...rest }: MergeStory): MergeStory {
  const { root, bytes } = start.exchange;
  const home = locateMerge(common, merge, { top: start.top, gitDir: start.gitDir, bytes });
  const isOne = start.merge === merge && root === start.top;
  if (home === null || !isOne) return { ...rest, start, undo, state: "elsewhere" };
  const moved = (work: FileExchange): FileExchange => ({ ...work, root: home.top, bytes: home.bytes });
  return {
    ...rest,
    start: { ...start, top: home.top, gitDir: home.gitDir, exchange: moved(start.exchange) },
    undo: undo && { ...undo, exchange: moved(undo.exchange) },
  };
}

function addRecord(story: MergeStory | null, entry: MergeRecord): MergeStory | null {
  if (entry.type === "merge-start") return { start: entry, state: "open", left: [], undo: null, undos: 0 };
  if (story === null) return null;
  switch (entry.type) {
    case "merge-commit":
      return { ...story, start: { ...story.start, committed: entry.committed } };
    case "merge-end":
      return { ...story, state: entry.outcome, left: entry.left };
    case "undo-start":
      return { ...story, state: "undoing", undo: entry, undos: story.undos + 1 };
    case "undo-end":
      return { ...story, state: entry.outcome === "undone" ? "undone" : "merged" };
    default:
      return entry satisfies never;
  }
}

/** An incomplete last line never counted. */
function recordOf(line: string): MergeRecord[] {
  try {
    const parsed = z.safeParse(MergeRecord, JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

// ---- finding merges --------------------------------------------------------------------------------

/**
 * Returns the merge, or undo, that is in progress or was cut off: no checkout is written without one. `bytes` is null
 * if the recorded directory is not the repository's.
 */
export function openMerge(common: string): { readonly merge: string; readonly bytes: string | null } | null {
  const [merge, bytes] = (textOf(openFile(common)) ?? "").split("\n");
  if (!merge || !bytes || !MERGE_NAME.test(merge)) return null;
  return { merge, bytes: bytesOf(common, merge, bytes) };
}

/** Call before anything of it is made. `bytes`: where its files will be. */
export function setOpen(common: string, merge: string, bytes: string, disk: Disk): void {
  disk.write(openFile(common), `${merge}\n${bytes}\n`);
}

export function setClosed(common: string, disk: Disk): void {
  disk.unlink(openFile(common));
  disk.sync(ourFolder(common));
}

/** Makes the directory of a merge, which becomes the newest. */
export function newMerge(common: string, merge: string, disk: Disk): string {
  const folder = mergeFolder(common, merge);
  mkdirSync(folder, { recursive: true });
  disk.append(orderFile(common), `${merge}\n`);
  return folder;
}

/** Returns merges, the newest first; some were rolled back. */
export function mergesOf(common: string): string[] {
  const text = textOf(orderFile(common)) ?? "";
  return [...new Set(text.split("\n").filter((name) => MERGE_NAME.test(name)))].reverse();
}

function openFile(common: string): string {
  return join(ourFolder(common), "merging");
}

function orderFile(common: string): string {
  return join(ourFolder(common), "merge-order");
}

export function forgetMerge(common: string, merge: string): void {
  rmSync(mergeFolder(common, merge), { recursive: true, force: true });
}

function textOf(file: string): string | null {
  return unlessMissing(() => readFileSync(file, "utf8"), null);
}
