import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { JournalError, readSentence } from "./journal-error.ts";

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

/**
 * Opens a journal for reading, never through a link, and never waiting for the writer of a planted named pipe. Rejects
 * with a `JournalError` (its cause is the system's error); the caller closes the handle.
 */
export async function openJournal(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw new JournalError(readSentence(path, error), path, "file", error);
  });
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw new JournalError(
    `${path} is not a file, so there is no journal in it; see \`troupe sessions list\`.`,
    path,
  );
}

const PLACEHOLDER = ',"crc":"00000000"}\n';
const DIGITS_FROM_END = '00000000"}'.length;
const CHECKSUM = /^,"crc":"([0-9a-f]{8})"\}$/;

/**
 * Returns the lines of records, each with its checksum and newline. `open`: their JSON without the closing brace.
 * Encodes all together and inserts the checksums afterwards, in a third of the time of encoding each line alone.
 */
export function sealLines(open: readonly string[]): Buffer {
  const bytes = Buffer.from(open.map((text) => `${text}${PLACEHOLDER}`).join(""));
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const body = bytes.subarray(start, newline - PLACEHOLDER.length + 1);
    writeHex(bytes, newline - DIGITS_FROM_END, crc32(body));
    start = newline + 1;
  }
  return bytes;
}

function writeHex(bytes: Buffer, at: number, value: number): void {
  for (let digit = 7, rest = value; digit >= 0; digit -= 1, rest >>>= 4) {
    const four = rest & 15;
    bytes[at + digit] = four + (four < 10 ? 0x30 : 0x57);
  }
}

/** Checks that a line (without its newline) is as it was written; `none`: it has no checksum. */
export function verifyLine(line: Buffer): "intact" | "damaged" | "none" {
  const end = line.length - PLACEHOLDER.length + 1;
  const found = end < 0 ? null : CHECKSUM.exec(line.toString("latin1", end));
  if (found === null) return "none";
  return crc32(line.subarray(0, end)) === Number.parseInt(found[1] ?? "", 16) ? "intact" : "damaged";
}
