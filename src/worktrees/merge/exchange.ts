import { join } from "node:path";
import { errorCode, errorMessage } from "../../lib/errors.ts";
import { type Disk, quietly } from "./disk.ts";
import {
  type FileExchange,
  type FileMove,
  foldersOf,
  isSameContent,
  isSameFile,
  isUntouched,
  lstatOf,
  stateOf,
} from "./file-state.ts";
import { type LeftInPlace, revertExchange } from "./revert-exchange.ts";

/** `changed`: another process wrote; `failed`: the system refused. Everything was rolled back in both cases. */
export type Exchanged =
  | { readonly type: "done" }
  | {
      readonly type: "changed" | "failed";
      readonly path: string;
      readonly why: string;
      readonly left: readonly LeftInPlace[];
    };

/**
 * Renames existing files aside, links new ones in, and only then checks that what it moved is what was expected: an
 * editor's save is either in place or aside, and one that is aside is put back. Check the expected files just before.
 */
export function exchange(work: FileExchange, disk: Disk): Exchanged {
  const state = { at: work.moves[0]?.path ?? "" };
  try {
    perform(work, disk, state);
    return { type: "done" };
  } catch (error) {
    const changed = error instanceof ChangedMeanwhile;
    // A disk error is an outcome, anything else is a bug; both are rolled back.
    const left = revertExchange(work, disk);
    if (!changed && errorCode(error) === undefined) throw error;
    const why = errorMessage(error);
    return { type: changed ? "changed" : "failed", path: state.at, why, left };
  }
}

/** Another process wrote here. */
class ChangedMeanwhile extends Error {}

function perform(work: FileExchange, disk: Disk, state: { at: string }): void {
  const { moves } = work;
  const deletions = moves.findIndex(({ after }) => after !== null);
  const first = deletions === -1 ? moves.length : deletions;
  const step = (move: FileMove, number: number) => {
    state.at = move.path;
    one(work, move, number, disk);
  };
  for (const [number, move] of moves.entries()) if (number < first) step(move, number);
  for (const { path } of work.emptied) quietly(() => disk.rmdir(join(work.root, path)), LEAVE);
  for (const { path, mode } of work.made) {
    state.at = path;
    quietly(() => disk.mkdir(join(work.root, path), mode), ["EEXIST"]);
  }
  for (const [number, move] of moves.entries()) if (number >= first) step(move, number);
  for (const [number, move] of moves.entries()) {
    state.at = move.path;
    checkOnceMore(work, move, number);
  }
}

/** Not empty, or already gone. */
const LEAVE = ["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"];

function one(
  work: FileExchange,
  { path, before, after, incoming }: FileMove,
  number: number,
  disk: Disk,
): void {
  const place = join(work.root, path);
  const aside = join(work.bytes, work.aside, String(number));
  if (!isOwnFolder(work.root, path)) throw new ChangedMeanwhile("a parent directory was replaced");
  if (before !== null) moved(() => disk.rename(place, aside));
  if (after !== null && incoming !== null) {
    const from = join(work.bytes, incoming);
    const { shared } = moved(() => disk.place(from, place));
    if (!shared) notePlaced(work, number, place, disk);
  } else if (before === null) throw new ChangedMeanwhile("there is nothing to be done");
  if (before !== null) {
    const found = stateOf(aside);
    if (!isUntouched(found, before) || !isSameFile(found, before))
      throw new ChangedMeanwhile("it was changed in the meantime");
  }
}

/** Our file is recognised by its inode: a second name shares the first one's, a copy's is noted. */
function notePlaced(work: FileExchange, number: number, place: string, disk: Disk): void {
  const { dev, ino } = lstatOf(place) ?? { dev: 0n, ino: 0n };
  disk.write(join(work.bytes, `${work.aside}-placed-${number}`), `${dev}:${ino}`);
}

/** The last moment in which everything can still be rolled back without a trace. */
function checkOnceMore(
  work: FileExchange,
  { path, before, after, incoming }: FileMove,
  number: number,
): void {
  const now = lstatOf(join(work.root, path));
  if (after === null || incoming === null) {
    if (now !== null && !now.isDirectory())
      throw new ChangedMeanwhile("it was created again in the meantime");
  } else {
    const isOurs = String(now?.mtimeNs) === after.mtime && String(now?.size) === String(after.size);
    if (!isOurs && !isSameContent(stateOf(join(work.root, path)), after))
      throw new ChangedMeanwhile("it was changed in the meantime");
  }
  const aside = before === null ? null : lstatOf(join(work.bytes, work.aside, String(number)));
  if (before !== null && String(aside?.mtimeNs) !== before.mtime)
    throw new ChangedMeanwhile("it was changed in the meantime");
}

/** True if every directory on the path is real and not a link. */
export function isOwnFolder(root: string, path: string): boolean {
  return foldersOf(path).every((folder) => lstatOf(join(root, folder))?.isDirectory() === true);
}

/** An unexpected state is another process's change, not a failure. */
function moved<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw new ChangedMeanwhile("it was removed in the meantime");
    if (code === "EEXIST") throw new ChangedMeanwhile("it was created again in the meantime");
    throw error;
  }
}
