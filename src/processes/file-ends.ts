import { open } from "node:fs/promises";
import type { Ends } from "./processes.ts";

/** Returned whole up to this size: more than the 30,000 characters that a model is shown. */
const WHOLE_BYTES = 96 * 1024;
const END_BYTES = WHOLE_BYTES / 2;

/** Fills as much of the buffer as there is at the position, and returns the number of bytes. */
export type ReadAt = (into: Uint8Array, position: number) => number | Promise<number>;

/** Returns the start and end of something of this size. */
export async function endsOf(size: number, read: ReadAt): Promise<Ends> {
  if (size <= WHOLE_BYTES) {
    const whole = await bytesAt(0, size, read);
    return { bytes: size, head: decoder().decode(whole), tail: null };
  }
  const [head, tail] = await Promise.all([
    bytesAt(0, END_BYTES, read),
    bytesAt(size - END_BYTES, END_BYTES, read),
  ]);
  return {
    bytes: size,
    // A character that was cut is in neither part.
    head: decoder().decode(head, { stream: true }),
    tail: decoder().decode(tail.subarray(firstCharacter(tail))),
  };
}

/** Reads a file that may still be growing. */
export async function endsOfFile(path: string): Promise<Ends> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return await endsOf(size, async (into, position) => {
      const { bytesRead } = await file.read(into, 0, into.length, position);
      return bytesRead;
    });
  } finally {
    await file.close();
  }
}

async function bytesAt(position: number, length: number, read: ReadAt): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = await read(bytes.subarray(filled), position + filled);
    // The command itself has shortened its file.
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** Returns where the first whole character starts: a UTF-8 character has at most three more bytes. */
function firstCharacter(bytes: Uint8Array): number {
  const first = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, first);
}

/** A byte order mark is part of what was written. */
const decoder = () => new TextDecoder("utf-8", { ignoreBOM: true });
