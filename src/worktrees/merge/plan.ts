import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Conflict } from "../../mailbox/worktree.ts";
import { type Blob, fileAt, listTreeNames, NESTED, rawChanges } from "../changes.ts";
import type { CheckoutSnapshot } from "../checkout-snapshot.ts";
import type { Repository } from "../environment.ts";
import { type Git, oddPath } from "../git.ts";
import { refuseRequest } from "../refusal.ts";
import { fold, foldersOf, lstatOf } from "./file-state.ts";

/** One file of the checkout to change. */
export interface PlannedChange {
  /** Relative to the top, with `/`. */
  readonly path: string;
  /** Null if there is no file on disk. */
  readonly before: Blob | null;
  readonly after: Blob | null;
}

export interface MergePlan {
  readonly changes: readonly PlannedChange[];
  readonly notes: readonly string[];
}

/** Returns the changes from the checkout to the merged tree, deletions first. Throws if a path must never be written. */
export async function planOf(
  git: Git,
  { tree, absent }: CheckoutSnapshot,
  merged: string,
): Promise<MergePlan> {
  const changes: PlannedChange[] = [];
  const notes: string[] = [];
  for (const { path, oldMode, oldId, newMode, newId } of await rawChanges(git.run, tree, merged)) {
    const before = fileAt(oldMode, oldId);
    const after = fileAt(newMode, newId);
    if (before === null && after === null) continue;
    const bad = whyNever(path);
    if (bad !== null) refuseRequest(bad);
    const isAbsent = absent.has(path);
    if (oldMode === NESTED || newMode === NESTED)
      notes.push(`${path} is a repository of its own and was not touched.`);
    else if (isAbsent && after === null)
      notes.push(`${path} is outside of the sparse checkout, so its deletion was not carried out.`);
    else changes.push({ path, before: isAbsent ? null : before, after });
  }
  const deletions = changes.filter(({ after }) => after === null);
  const others = changes.filter(({ after }) => after !== null);
  return { changes: [...deletions, ...others], notes };
}

/** Characters that some disks ignore in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Returns a sentence if no merge may ever write there. */
function whyNever(path: string): string | null {
  if (oddPath(path))
    return `The name of ${path} is not UTF-8, so it cannot be merged; rename it, or take it from the branch.`;
  const names = path.split("/").map((name) => name.replace(UNSEEN, "").toLowerCase());
  if (names.some((name) => /^(\.git|git~\d+)[. ]*(:.*)?$/.test(name) || name === "." || name === ".."))
    return `${path} is a place of git's own, and no edit may go there; the edits stay on their branch.`;
  if (names[0] === ".claude" && names[1] === "worktrees")
    return `${path} is where worktrees stand, and no edit may go there; the edits stay on their branch.`;
  return null;
}

export interface Guarded {
  readonly conflicts: readonly Conflict[];
  /** Directories to remove if they become empty, inner ones first. */
  readonly emptied: readonly { path: string; mode: number }[];
}

/** Checks what git does not: untracked files that would be overwritten, and names that are equal on other disks. */
export async function guard(
  repo: Repository,
  changes: readonly PlannedChange[],
  merged: string,
): Promise<Guarded> {
  const deleted = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
  const conflicts: Conflict[] = [];
  const emptyOnes: string[] = [];
  for (const { path, before } of changes) {
    const found =
      before === null ? inTheWay(repo.top, path, deleted, emptyOnes) : throughLink(repo.top, path);
    if (found !== null) conflicts.push({ ...found, lines: [] });
  }
  const added = changes.filter(({ before }) => before === null).map(({ path }) => path);
  if (added.length > 0) {
    const names = await listTreeNames(repo.git, merged);
    conflicts.push(...nameCollisions(added, names).map((path) => ({ path, kind: "case", lines: [] })));
  }
  return { conflicts, emptied: emptiedBy(repo.top, changes, emptyOnes) };
}

interface InTheWay {
  readonly path: string;
  readonly kind: string;
}

/** Finds what is at or above the path of a new file and is not removed by the same merge. */
function inTheWay(
  top: string,
  path: string,
  deleted: ReadonlySet<string>,
  emptyOnes: string[],
): InTheWay | null {
  for (const folder of foldersOf(path)) {
    const found = lstatOf(join(top, folder));
    if (found === null || deleted.has(folder)) break;
    if (found.isSymbolicLink()) return { path: folder, kind: "symlink" };
    if (!found.isDirectory()) return { path: folder, kind: "untracked" };
  }
  const found = lstatOf(join(top, path));
  if (found === null) return null;
  if (found.isDirectory()) {
    const other = unlisted(top, path, deleted, emptyOnes);
    return other === null ? null : { path: other, kind: "untracked" };
  }
  // Finds a file renamed to another case of its name, on a disk where both are one.
  const other = [...deleted].find((name) => fold(name) === fold(path));
  if (other !== undefined && lstatOf(join(top, other))?.ino === found.ino) return null;
  return deleted.has(path) ? null : { path, kind: "untracked" };
}

/** Returns the first file in a directory that the merge does not delete; collects directories without any. */
function unlisted(
  top: string,
  folder: string,
  deleted: ReadonlySet<string>,
  emptyOnes: string[],
): string | null {
  emptyOnes.push(folder);
  for (const entry of readdirSync(join(top, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    const found = entry.isDirectory()
      ? unlisted(top, path, deleted, emptyOnes)
      : deleted.has(path)
        ? null
        : path;
    if (found !== null) return found;
  }
  return null;
}

function throughLink(top: string, path: string): InTheWay | null {
  const link = foldersOf(path).find((folder) => lstatOf(join(top, folder))?.isSymbolicLink());
  return link === undefined ? null : { path: link, kind: "symlink" };
}

function emptiedBy(top: string, changes: readonly PlannedChange[], emptyOnes: readonly string[]) {
  const stays = new Set(changes.filter(({ after }) => after !== null).flatMap(({ path }) => foldersOf(path)));
  const going = changes.filter(({ after }) => after === null).flatMap(({ path }) => foldersOf(path));
  const all = [...new Set([...going, ...emptyOnes])].filter((folder) => !stays.has(folder));
  return all
    .sort((one, other) => other.split("/").length - one.split("/").length)
    .flatMap((path) => {
      const found = lstatOf(join(top, path));
      return found?.isDirectory() ? [{ path, mode: Number(found.mode & 0o7777n) }] : [];
    });
}

/**
 * Returns new names that equal another on disks that ignore case or forms of accents: on a colleague's disk one file
 * would overwrite the other. `names`: all of the result.
 */
function nameCollisions(added: readonly string[], names: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const name of names)
    for (let at = dirname(name); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at);
  const asFile = spellings(names);
  const asFolder = spellings([...folders]);
  return added.filter((path) => {
    const key = fold(path);
    return (
      isOther(asFile.get(key), path) ||
      isOther(asFolder.get(key), path) ||
      foldersOf(path).some((folder) => isOther(asFile.get(fold(folder)), folder))
    );
  });
}

function spellings(names: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const key = fold(name);
    const same = found.get(key);
    if (same === undefined) found.set(key, [name]);
    else same.push(name);
  }
  return found;
}

function isOther(spelled: readonly string[] | undefined, path: string): boolean {
  return spelled?.some((name) => name !== path) ?? false;
}
