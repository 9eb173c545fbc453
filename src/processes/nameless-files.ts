import { randomBytes } from "node:crypto";
import { closeSync, constants, ftruncateSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

/** As many are kept for later programs; more were only needed at once. */
const MOST_KEPT = 8;

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** Files that only descriptors lead to: unlike a pipe, one is at its end when its program is, whoever inherited it. */
export interface NamelessFiles {
  /** Returns the descriptor of an empty file, which appends. Throws if none can be made in this directory. */
  take(directory: string): number;
  /** `isFree`: nobody else has this descriptor any more, so another program may get it. */
  release(descriptor: number, isFree: boolean): void;
  /** Returns a descriptor of its own for these bytes, at their beginning. Linux only. Throws as `take` does. */
  open(bytes: Uint8Array, directory: string): number;
  close(): void;
}

/** Making a file costs a command a tenth of a millisecond, so those of confined commands are used again. */
export function namelessFiles(): NamelessFiles {
  const free: number[] = [];
  const written = new Map<string, number>();
  return {
    take: (directory) => free.pop() ?? makeNameless(directory),
    release(descriptor, isFree) {
      if (isFree && free.length < MOST_KEPT && emptied(descriptor)) free.push(descriptor);
      else closeSync(descriptor);
    },
    open(bytes, directory) {
      const key = bytes.join();
      const known = written.get(key) ?? makeWritten(bytes, directory);
      written.set(key, known);
      // Opened anew, it has a position of its own.
      return openSync(`/proc/self/fd/${known}`, "r");
    },
    close() {
      for (const descriptor of [...free.splice(0), ...written.values()]) closeSync(descriptor);
      written.clear();
    },
  };
}

function makeNameless(directory: string): number {
  const path = join(directory, randomBytes(9).toString("hex"));
  const descriptor = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  unlinkSync(path);
  return descriptor;
}

function makeWritten(bytes: Uint8Array, directory: string): number {
  const descriptor = makeNameless(directory);
  try {
    // Half of a filter would let through what the other half refuses.
    if (writeSync(descriptor, bytes) < bytes.length) throw new Error("the disk is full");
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function emptied(descriptor: number): boolean {
  try {
    ftruncateSync(descriptor, 0);
    return true;
  } catch {
    return false;
  }
}
