import type { FileHandle } from "node:fs/promises";

/** The limit of one record; far more than one request to a model can carry. */
export const MAX_RECORD_CHARS = 64 * 1024 * 1024;
/** A UTF-16 unit takes at most three bytes of UTF-8. Troupe does not write longer lines. */
const MAX_LINE_BYTES = 3 * MAX_RECORD_CHARS + 64;

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Without its newline; null if it was too long to be kept. */
  readonly bytes: Buffer | null;
  /** False for a last line without a newline. */
  readonly complete: boolean;
  /** Where it ends in the file, in bytes. */
  readonly end: number;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Yields the lines of a file from this byte on, one at a time, so that memory holds one line and one chunk. Splits at the
 * newline byte only: `node:readline` also splits at U+2028, which JSON leaves as it is inside strings. The caller
 * closes the handle. Throws the system's error, or the signal's reason.
 */
export async function* linesOf(handle: FileHandle, signal?: AbortSignal, from = 0): AsyncGenerator<Line> {
  let number = 1;
  let position = from;
  let line = new LineBuffer();
  for await (const chunk of chunksOf(handle, signal, from)) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      line.add(chunk.subarray(start, end));
      position += line.length + 1;
      yield { number, bytes: line.bytes(), complete: true, end: position };
      number += 1;
      line = new LineBuffer();
      start = end + 1;
    }
    line.add(chunk.subarray(start));
  }
  if (line.length > 0) {
    yield { number, bytes: line.bytes(), complete: false, end: position + line.length };
  }
}

/** A stream of the handle would do the same, but throws past its reader if the signal is already aborted. */
async function* chunksOf(
  handle: FileHandle,
  signal: AbortSignal | undefined,
  from: number,
): AsyncGenerator<Buffer> {
  for (let position = from; ; ) {
    signal?.throwIfAborted();
    // A new one each time: a line that spans chunks keeps its parts.
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** A line that grows over chunks; past the limit it is only measured. */
class LineBuffer {
  length = 0;
  #parts: Buffer[] = [];

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > MAX_LINE_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  bytes(): Buffer | null {
    if (this.length > MAX_LINE_BYTES) return null;
    const [first] = this.#parts;
    return this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts, this.length);
  }
}
