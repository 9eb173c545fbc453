import { createHash } from "node:crypto";
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";

/** Size of an entry's file stats, before the hash and the flags. */
const STAT_BYTES = 40;
/** Size of both times, at its start. */
const TIME_BYTES = 16;
const HEADER_BYTES = 12;
const EXTENDED = 0x4000;
/** The length of the name, in all versions but 4; all bits are set if it is longer. */
const NAME_LENGTH = 0xfff;

/**
 * Makes git reread each file of an index that changed in or after the second of `since`. Git compares seconds, so it
 * misses a change in the second of its last look if size and mtime are preserved (`cp -p`, `rsync -t`). Returns false
 * if it cannot find the entries in this form of index. `hashBytes` is the size of the repository's object names.
 */
export function forgetRecentEntries(index: string, since: number, hashBytes: number): boolean {
  const bytes = readFileSync(index);
  try {
    const { isKnown, isChanged } = clearTimes(bytes, Math.floor(since / 1_000), hashBytes);
    if (isChanged) rewrite(index, bytes, hashBytes);
    return isKnown;
  } catch (error) {
    // It ends too early: an agent can write to the index of its worktree.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function clearTimes(bytes: Buffer, second: number, hashBytes: number) {
  const version = bytes.readUInt32BE(4);
  let [at, isChanged] = [HEADER_BYTES, false];
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4)
    return { isKnown: false, isChanged };
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    if (bytes.readUInt32BE(at) >= second) {
      bytes.fill(0, at, at + TIME_BYTES);
      isChanged = true;
    }
    at = endOfEntry(bytes, at, version, hashBytes);
  }
  // A split index has most entries in another file, and names that file first.
  return { isKnown: bytes.toString("latin1", at, at + 4) !== "link", isChanged };
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
