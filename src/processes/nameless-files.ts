import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** The number of files kept per directory; more were only needed at the same time. */
const MOST_KEPT = 8;
/** A larger file is closed to free its space. */
const MOST_BYTES = 1024 * 1024;
const MODE = 0o600;

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Files without a name: unlike a pipe, one is complete when its program ends, even if another process inherited it.
 */
export interface NamelessFiles {
  /** Returns the descriptor of an empty file, which appends. Throws if none can be made in this directory. */
  take(directory: string): number;
  /** `isFree`: no other process has this descriptor, so another program may get it. */
  release(descriptor: number, isFree: boolean): void;
  /**
   * Returns a new descriptor at the start of these bytes; writes the same array only once. Linux only. Throws as `take`
   * does.
   */
  open(bytes: Uint8Array, directory: string): number;
  close(): void;
}

/** Making a file costs a command at least a tenth of a millisecond, so those of confined commands are reused. */
export function namelessFiles(): NamelessFiles {
  const free = new Map<string, number[]>();
  const directories = new Map<number, string>();
  const written = new Map<Uint8Array, number>();
  return {
    take(directory) {
      const descriptor = free.get(directory)?.pop() ?? makeNameless(directory);
      directories.set(descriptor, directory);
      return descriptor;
    },
    release(descriptor, isFree) {
      const directory = directories.get(descriptor) ?? "";
      directories.delete(descriptor);
      const others = free.get(directory) ?? [];
      if (!isFree || others.length >= MOST_KEPT || !isCleared(descriptor)) return closeSync(descriptor);
      others.push(descriptor);
      free.set(directory, others);
    },
    open(bytes, directory) {
      const known = written.get(bytes) ?? makeWritten(bytes, directory);
      written.set(bytes, known);
      // Opened again, it has its own position.
      return openSync(`/proc/self/fd/${known}`, "r");
    },
    close() {
      for (const descriptor of [...free.values(), ...written.values()].flat()) closeSync(descriptor);
      free.clear();
      written.clear();
    },
  };
}

function makeNameless(directory: string): number {
  const path = join(directory, randomBytes(9).toString("hex"));
  const descriptor = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, MODE);
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

/** Clears a file of everything its program did to it; returns false if that cannot be done cheaply. */
function isCleared(descriptor: number): boolean {
  try {
    const { size, mode } = fstatSync(descriptor);
    if (size > MOST_BYTES) return false;
    if (size > 0) ftruncateSync(descriptor, 0);
    if ((mode & 0o7777) !== MODE) fchmodSync(descriptor, MODE);
    return true;
  } catch {
    return false;
  }
}
