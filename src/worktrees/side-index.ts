import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment } from "./environment.ts";
import { parts } from "./git.ts";
import { treeRecordFolder } from "./layout.ts";
import { forgetRecentEntries } from "./recent-entries.ts";
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
  /** Makes it the start of the next one. Files changed since it was opened are reread then. */
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
  const keep = () => {
    // If git cannot be made to recheck entries of this index, the next one reads every file.
    if (forgetRecent(file, tree, opened)) renameSync(file, kept);
    else rmSync(kept, { force: true });
  };
  return { file, begun: copyIndex(kept, file), drop, keep };
}

/** The clock of a file system may be behind ours by a few milliseconds. */
const CLOCK_MARGIN_MS = 1_000;

function forgetRecent(index: string, tree: Worktree, since: number): boolean {
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
  if (!forgetRecent(index, tree, complete)) {
    const whole = await git(["update-index", "--no-split-index"], { index });
    if (whole.code !== 0 || !forgetRecent(index, tree, complete)) return false;
  }
  const listed = await git(["ls-files", "-v", "-z"], { index });
  if (listed.code !== 0) return false;
  const assumed = parts(listed.out).filter((line) => /^[a-z]/.test(line));
  const skipped = parts(listed.out).filter((line) => /^[Ss]/.test(line));
  const done = await Promise.resolve()
    .then(() => unmark(git, index, "--no-assume-unchanged", assumed.map(pathOf)))
    .then(
      async (well) => well && unmark(git, index, "--no-skip-worktree", await present(git, index, skipped)),
    );
  return done;
}

function pathOf(line: string): string {
  return line.slice(2);
}

/** A file that a sparse checkout leaves out stays out; one that exists counts. */
async function present(git: TreeGit, index: string, lines: readonly string[]): Promise<string[]> {
  if (lines.length === 0) return [];
  const top = (await git(["rev-parse", "--show-toplevel"], { index })).out.trim();
  return lines.map(pathOf).filter((path) => existsSync(join(top, path)));
}

async function unmark(git: TreeGit, index: string, how: string, paths: readonly string[]): Promise<boolean> {
  for (const chunk of chunks(paths, 500)) {
    const { code } = await git(["update-index", how, "--", ...chunk], { index });
    if (code !== 0) return false;
  }
  return true;
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
