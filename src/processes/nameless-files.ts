import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** Returns a file without a name: unlike a pipe, it is complete when its program ends, even if others inherited it. */
export function namelessFile(directory: string): number {
  const path = join(directory, randomBytes(9).toString("hex"));
  const descriptor = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  unlinkSync(path);
  return descriptor;
}

/** Returns the same with these bytes, at their start. */
export function namelessCopy(bytes: Uint8Array, directory: string): number {
  const descriptor = namelessFile(directory);
  try {
    // Half of a filter would let through what the other half refuses.
    if (writeSync(descriptor, bytes, 0, bytes.length, 0) < bytes.length) throw new Error("the disk is full");
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
