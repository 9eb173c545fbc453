import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, isMissing } from "../../lib/errors.ts";
import { unlessMissing } from "../../lib/on-disk.ts";
import { type Disk, quietly } from "./disk.ts";
import {
  type FileExchange,
  type FileMove,
  foldersOf,
  isSameContent,
  lstatOf,
  stateOf,
} from "./file-state.ts";

/** What could not be restored because it was written to since: the newer file stays in place. */
export interface LeftInPlace {
  readonly path: string;
  /** Absolute path of the earlier, or of the newer, bytes. */
  readonly kept: string;
}

/**
 * Restores everything by what is found on disk, also after a crash at any point of an exchange or of this. A file that
 * is neither the old nor the merged one is newer, and is never overwritten or removed.
 */
export function revertExchange(work: FileExchange, disk: Disk): LeftInPlace[] {
  const left: LeftInPlace[] = [];
  const backwards = [...work.moves.entries()].reverse();
  for (const [number, move] of backwards)
    if (move.after !== null) left.push(...one(work, move, number, disk));
  for (const { path } of [...work.made].reverse())
    quietly(() => disk.rmdir(join(work.root, path)), ["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"]);
  for (const { path, mode } of [...work.emptied].reverse())
    quietly(() => disk.mkdir(join(work.root, path), mode), ["EEXIST", "ENOTDIR"]);
  for (const [number, move] of backwards)
    if (move.after === null) left.push(...one(work, move, number, disk));
  return left;
}

function one(work: FileExchange, move: FileMove, number: number, disk: Disk): LeftInPlace[] {
  const place = join(work.root, move.path);
  const aside = join(work.bytes, work.aside, String(number));
  // What is behind a link in place of a directory is not the checkout.
  if (!staysWithin(work.root, move.path))
    return lstatOf(aside) === null ? [] : [{ path: move.path, kept: aside }];
  const now = lstatOf(place);
  if (now !== null && isOurs(work, move, number)) {
    const theirs = takeAway(work, move, number, disk);
    if (theirs !== null) {
      if (!putBack(theirs, place, disk)) return [{ path: move.path, kept: theirs }];
      return [{ path: move.path, kept: lstatOf(aside) === null ? place : aside }];
    }
  } else if (now !== null) {
    if (lstatOf(aside) === null) return [];
    // Equal bytes are not a second version.
    if (isSameContent(stateOf(place), stateOf(aside))) {
      disk.unlink(aside);
      return [];
    }
    return [{ path: move.path, kept: aside }];
  }
  if (lstatOf(aside) === null) return [];
  makeFolders(work.root, move.path, disk);
  return putBack(aside, place, disk) ? [] : [{ path: move.path, kept: aside }];
}

/** Returns null if it was ours and is gone; otherwise where the newer file is now. */
function takeAway(work: FileExchange, move: FileMove, number: number, disk: Disk): string | null {
  const place = join(work.root, move.path);
  const away = freeName(join(work.bytes, `${work.aside}-away-${number}`));
  disk.rename(place, away);
  const isStillOurs = isOursAt(away, work, move, number) && isSameContent(stateOf(away), move.after);
  if (!isStillOurs) return away;
  disk.unlink(away);
  return null;
}

function isOurs(work: FileExchange, move: FileMove, number: number): boolean {
  return isOursAt(join(work.root, move.path), work, move, number);
}

function isOursAt(at: string, work: FileExchange, { after, incoming }: FileMove, number: number): boolean {
  const now = lstatOf(at);
  if (now === null || after === null || incoming === null) return false;
  if (after.kind === "link") return isSameContent(stateOf(at), after);
  const ours = lstatOf(join(work.bytes, incoming));
  if (ours !== null && ours.dev === now.dev && ours.ino === now.ino) return true;
  const note = join(work.bytes, `${work.aside}-placed-${number}`);
  return unlessMissing(() => readFileSync(note, "utf8"), null) === `${now.dev}:${now.ino}`;
}

/** Returns false if the path is taken by now. */
function putBack(from: string, place: string, disk: Disk): boolean {
  const found = lstatOf(from);
  if (found === null) return false;
  if (!found.isFile() && !found.isSymbolicLink()) {
    if (lstatOf(place) !== null) return false;
    disk.rename(from, place);
    return true;
  }
  try {
    disk.place(from, place);
  } catch (error) {
    if (errorCode(error) === "EEXIST" || isMissing(error)) return false;
    throw error;
  }
  disk.unlink(from);
  return true;
}

function staysWithin(root: string, path: string): boolean {
  return !foldersOf(path).some((folder) => lstatOf(join(root, folder))?.isSymbolicLink());
}

function makeFolders(root: string, path: string, disk: Disk): void {
  const folder = dirname(path);
  if (folder === "." || lstatOf(join(root, folder)) !== null) return;
  makeFolders(root, folder, disk);
  quietly(() => disk.mkdir(join(root, folder), null), ["EEXIST", "ENOENT", "ENOTDIR"]);
}

/** Finds an unused name: a rename would destroy what it replaces. */
function freeName(start: string): string {
  for (let at = 0; ; at += 1) {
    const name = `${start}-${at}`;
    if (lstatOf(name) === null) return name;
  }
}
