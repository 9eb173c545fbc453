import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, isMissing } from "../../lib/errors.ts";
import { type Disk, quietly } from "./disk.ts";
import { isSameContent, lstatOf, stateOf } from "./file-state.ts";
import type { Exchange, Move } from "./moves.ts";

/** What could not be taken back, as somebody has written since: theirs stays in its place. */
export interface Left {
  readonly path: string;
  /** Where the bytes lie that were there before, or that they wrote; absolute. */
  readonly kept: string;
}

/**
 * Everything as it was, by what lies where: also after a crash at any point of an exchange, or of this. What is
 * neither what was there nor what was brought is somebody's since, and is never overwritten or moved away for good.
 */
export function revertExchange(work: Exchange, disk: Disk): Left[] {
  const left: Left[] = [];
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

function one(work: Exchange, move: Move, number: number, disk: Disk): Left[] {
  const place = join(work.root, move.path);
  const aside = join(work.bytes, work.aside, String(number));
  // What is behind a link that somebody has put in the place of a folder is not the checkout.
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
    // The same bytes are no second version of them.
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

/** Null: it was ours, and is away. Else somebody had written to it, or put another one there: where theirs is now. */
function takeAway(work: Exchange, move: Move, number: number, disk: Disk): string | null {
  const place = join(work.root, move.path);
  const away = freeName(join(work.bytes, `${work.aside}-away-${number}`));
  disk.rename(place, away);
  const isStillOurs = isOursAt(away, work, move, number) && isSameContent(stateOf(away), move.after);
  if (!isStillOurs) return away;
  disk.unlink(away);
  return null;
}

function isOurs(work: Exchange, move: Move, number: number): boolean {
  return isOursAt(join(work.root, move.path), work, move, number);
}

function isOursAt(at: string, work: Exchange, { after, incoming }: Move, number: number): boolean {
  const now = lstatOf(at);
  if (now === null || after === null || incoming === null) return false;
  if (after.kind === "link") return isSameContent(stateOf(at), after);
  const ours = lstatOf(join(work.bytes, incoming));
  if (ours !== null && ours.dev === now.dev && ours.ino === now.ino) return true;
  return placed(join(work.bytes, `${work.aside}-placed-${number}`)) === `${now.dev}:${now.ino}`;
}

function placed(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** False: there is something by now. */
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
  const names = path.split("/").slice(0, -1);
  return !names.some((_, at) => lstatOf(join(root, ...names.slice(0, at + 1)))?.isSymbolicLink());
}

function makeFolders(root: string, path: string, disk: Disk): void {
  const folder = dirname(path);
  if (folder === "." || lstatOf(join(root, folder)) !== null) return;
  makeFolders(root, folder, disk);
  quietly(() => disk.mkdir(join(root, folder), null), ["EEXIST", "ENOENT", "ENOTDIR"]);
}

/** A name that nothing has: what a rename would replace is lost. */
function freeName(start: string): string {
  for (let at = 0; ; at += 1) {
    const name = `${start}-${at}`;
    if (lstatOf(name) === null) return name;
  }
}
