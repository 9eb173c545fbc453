import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import { exists } from "../lib/on-disk.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { type GitAnswer, parts } from "./git.ts";
import { ourFolder, treeRecordFolder } from "./layout.ts";
import type { TreeGit, TreePlace } from "./worktree-location.ts";

/** `index`: the whole worktree; `ignored`: ignored files written by name; `staged`: a one-time copy. */
export type SideIndexName = "index" | "ignored" | "staged";

/**
 * An index file for one snapshot. It is never shared, because git of a killed git worker may still use another one. It
 * becomes the start of the next one only when a ref holds its objects.
 */
export interface SideIndex {
  readonly file: string;
  /** True if it is a copy: git knows which files are unchanged. */
  readonly begun: boolean;
  /**
   * Makes git reread the files that changed since it was opened. Call after files were added: git then need not read them
   * again each time it writes the index.
   */
  forgetRecent(): void;
  /** Makes it the start of the next one. */
  keep(): void;
  drop(): void;
}

export function sideIndexFile(place: TreePlace, tree: Worktree, name: SideIndexName): string {
  return join(treeRecordFolder(place.common, tree.name), name);
}

/** Copies the last one of this name, or starts empty. */
export function openSideIndex(
  place: TreePlace,
  tree: Worktree,
  name: SideIndexName,
  ground: GitEnvironment,
): SideIndex {
  const folder = treeRecordFolder(place.common, tree.name);
  mkdirSync(folder, { recursive: true });
  const kept = join(folder, name);
  const file = join(folder, `${name}.${ground.id()}`);
  const drop = () => {
    rmSync(file, { force: true });
    rmSync(`${file}.lock`, { force: true });
  };
  const opened = ground.now();
  let isKnown = false;
  const forget = () => {
    isKnown = forgetRecent(file, tree, opened).isKnown;
  };
  const keep = () => {
    // If git cannot be made to recheck entries of this index, the next one reads every file.
    if (isKnown) renameSync(file, kept);
    else rmSync(kept, { force: true });
  };
  return { file, begun: copyIndex(kept, file), drop, forgetRecent: forget, keep };
}

/** The clock of a file system may be behind ours by a few milliseconds. */
const CLOCK_MARGIN_MS = 1_000;

function forgetRecent(index: string, tree: Worktree, since: number): Forgotten {
  return forgetRecentEntries(index, since - CLOCK_MARGIN_MS, tree.base.length / 2);
}

/** Removes leftovers of killed git workers. Call only under the worktree's lock. */
export function dropLeftovers(common: string, name: string): void {
  const folder = treeRecordFolder(common, name);
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder))
    if (/^(index|ignored|staged)\.[\w-]+(\.lock)?$/.test(file)) rmSync(join(folder, file), { force: true });
}

/**
 * Starts from the worktree's own index, so that unchanged files are not reread. Clears the marks that hide files from
 * git: a snapshot must have those files. `complete` is when the worktree was complete, before anyone worked in it.
 * Returns false if there is no such index.
 */
export async function seedFromTree(
  git: TreeGit,
  place: TreePlace,
  tree: Worktree,
  index: string,
  complete: number,
): Promise<boolean> {
  if (!copyIndex(join(place.gitDir, "index"), index)) return false;
  let found = forgetRecent(index, tree, complete);
  if (!found.isKnown) {
    const whole = await git(["update-index", "--no-split-index"], { index });
    found = forgetRecent(index, tree, complete);
    if (whole.code !== 0 || !found.isKnown) return false;
  }
  if (!found.hasMarks) return true;
  const listed = await git(["ls-files", "-v", "-z"], { index });
  if (listed.code !== 0) return false;
  const entries = parts(listed.out).map((line) => ({ tag: line.slice(0, 1), path: line.slice(2) }));
  return (await showHidden(git, index, tree.path, entries)).failed === null;
}

/**
 * Clears the marks that hide files from git: such files are there all the same. Files that a sparse checkout leaves out keep
 * theirs; returns those. `entries` have the tags of `git ls-files -v`.
 */
export async function showHidden(
  git: TreeGit,
  index: string,
  top: string,
  entries: readonly { readonly tag: string; readonly path: string }[],
): Promise<{ readonly absent: ReadonlySet<string>; readonly failed: GitAnswer | null }> {
  const tagged = (tags: RegExp) => entries.filter(({ tag }) => tags.test(tag)).map(({ path }) => path);
  const skipped = tagged(/[Ss]/);
  const here = skipped.filter((path) => exists(join(top, path)));
  const absent = new Set(skipped).difference(new Set(here));
  for (const [how, paths] of [
    ["--no-assume-unchanged", tagged(/[a-z]/)],
    ["--no-skip-worktree", here],
  ] as const)
    for (const some of chunks(paths, 500)) {
      const answer = await git(["update-index", how, "--", ...some], { index });
      if (answer.code !== 0) return { absent, failed: answer };
    }
  return { absent, failed: null };
}

/** Splits a list into pieces that fit on one command line. */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const made: T[][] = [];
  for (let at = 0; at < all.length; at += size) made.push(all.slice(at, at + size));
  return made;
}

/**
 * Copies an index with its time: git must look at files that changed in the second in which an index was written, and a
 * newer copy would hide such a change.
 */
export function copyIndex(from: string, to: string): boolean {
  try {
    const { mtimeMs } = statSync(from);
    copyFileSync(from, to);
    const seconds = Math.floor(mtimeMs / 1000);
    utimesSync(to, seconds, seconds);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Size of an entry's file stats, before the hash and the flags. */
const STAT_BYTES = 40;
/** Size of both times, at its start. */
const TIME_BYTES = 16;
const HEADER_BYTES = 12;
const EXTENDED = 0x4000;
const ASSUMED = 0x8000;
/** In the second word of flags, which only an extended entry has. */
const SKIPPED = 0x4000;
/** The length of the name, in all versions but 4; all bits are set if it is longer. */
const NAME_LENGTH = 0xfff;

interface Forgotten {
  /** False if the entries of this form of index cannot be found. */
  readonly isKnown: boolean;
  /** Git does not look at some of the files. */
  readonly hasMarks: boolean;
}

/**
 * Makes git reread each file of an index that changed in or after the second of `since`. Git compares seconds, so it
 * misses a change in the second of its last look if size and mtime are preserved (`cp -p`, `rsync -t`). `hashBytes` is the size of the repository's object names.
 */
function forgetRecentEntries(index: string, since: number, hashBytes: number): Forgotten {
  const bytes = readFileSync(index);
  try {
    const { isChanged, ...found } = clearTimes(bytes, Math.floor(since / 1_000), hashBytes);
    if (isChanged) rewrite(index, bytes, hashBytes);
    return found;
  } catch (error) {
    // It ends too early: an agent can write to the index of its worktree.
    if (error instanceof RangeError) return { isKnown: false, hasMarks: false };
    throw error;
  }
}

function clearTimes(bytes: Buffer, second: number, hashBytes: number) {
  const version = bytes.readUInt32BE(4);
  let [at, isChanged, hasMarks] = [HEADER_BYTES, false, false];
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4)
    return { isKnown: false, hasMarks, isChanged };
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    if (bytes.readUInt32BE(at) >= second) {
      bytes.fill(0, at, at + TIME_BYTES);
      isChanged = true;
    }
    const flags = at + STAT_BYTES + hashBytes;
    hasMarks ||= isMarked(bytes, flags);
    at = endOfEntry(bytes, at, version, hashBytes);
  }
  // A split index has most entries in another file, and names that file first.
  return { isKnown: bytes.toString("latin1", at, at + 4) !== "link", hasMarks, isChanged };
}

function isMarked(bytes: Buffer, at: number): boolean {
  const flags = bytes.readUInt16BE(at);
  if ((flags & ASSUMED) !== 0) return true;
  return (flags & EXTENDED) !== 0 && (bytes.readUInt16BE(at + 2) & SKIPPED) !== 0;
}

function endOfEntry(bytes: Buffer, start: number, version: number, hashBytes: number): number {
  const at = start + STAT_BYTES + hashBytes;
  const flags = bytes.readUInt16BE(at);
  const name = at + ((flags & EXTENDED) === 0 ? 2 : 4);
  const length = flags & NAME_LENGTH;
  // In version 4, a number says how much of the previous name is left out: it may be zero.
  if (version === 4) return endOfName(bytes, afterNumber(bytes, name)) + 1;
  const end = length === NAME_LENGTH ? endOfName(bytes, name) : name + length;
  // One to eight zero bytes pad the entry.
  return start + ((end - start + 8) & ~7);
}

function endOfName(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0, start);
  if (end === -1) throw new RangeError("The name has no end.");
  return end;
}

function afterNumber(bytes: Buffer, start: number): number {
  let at = start;
  while ((bytes.readUInt8(at) & 0x80) !== 0) at += 1;
  return at + 1;
}

function rewrite(index: string, bytes: Buffer, hashBytes: number): void {
  const sum = bytes.subarray(bytes.length - hashBytes);
  const name = hashBytes === 32 ? "sha256" : "sha1";
  // All zeros mean that `index.skipHash` is set.
  if (sum.some((byte) => byte !== 0))
    createHash(name).update(bytes.subarray(0, -hashBytes)).digest().copy(sum);
  const { atimeMs, mtimeMs } = statSync(index);
  writeFileSync(index, bytes);
  // Git takes the time of the index for the time of its last look at the files.
  utimesSync(index, atimeMs / 1_000, mtimeMs / 1_000);
}

/** Runs work with a temporary index file and removes it after that. */
export async function withIndex<T>(
  { common }: Pick<Repository, "common">,
  ground: GitEnvironment,
  work: (index: string) => Promise<T>,
): Promise<T> {
  mkdirSync(ourFolder(common), { recursive: true });
  const index = join(ourFolder(common), `merge-${ground.self.pid}-${ground.id()}`);
  try {
    return await work(index);
  } finally {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  }
}
