import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import type { OpenFile } from "./regular-file.ts";
import { charsOf } from "./tool.ts";

/** Longer lines are cut, with a mark. In UTF-16 units, never in the middle of a character. */
export const MAX_LINE_CHARS = 2_000;
/** Enough bytes for these characters in any script, so that a line of gigabytes is never in memory. */
const MAX_LINE_BYTES = (MAX_LINE_CHARS + 2) * 4;
/** What is shown around a line: its number, a tab, a line feed. */
const NUMBER_CHARS = 8;
const CHUNK_BYTES = 64 * 1024;
/** Bytes after which the event loop gets a turn, so that the agent can be stopped. */
const BYTES_PER_TURN = 4 * 1024 * 1024;
/** How far the file is read only to count its lines. */
const COUNTED_BYTES = 4 * 1024 * 1024;
const SNIFFED_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const NUL = 0;

export interface LinesWanted {
  /** First line, from 1. */
  readonly from: number;
  readonly count: number;
  /** Characters, with line numbers, after which no further line is taken; the first line is always taken. */
  readonly maxChars: number;
  /** Bytes of the file; if its end is far away, its lines are not counted. */
  readonly size: number;
}

export type TextLines =
  | { readonly type: "binary"; readonly encoding: "utf-16" | null }
  | {
      readonly type: "text";
      readonly lines: readonly string[];
      /** SHA-256 of these lines as they are in the file, with line feeds in between. */
      readonly digest: string;
      /** Lines of the whole file; null if they were not counted. */
      readonly total: number | null;
    };

/**
 * Reads some lines of a file piece by piece, so that memory does not grow with the file. `onBytes` gets everything that is
 * read, in order; of a small text that is the whole file. Synchronous, because a piece takes microseconds.
 */
export async function readTextLines(
  file: Pick<OpenFile, "fd">,
  wanted: LinesWanted,
  signal: AbortSignal,
  onBytes?: (bytes: Uint8Array) => void,
): Promise<TextLines> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const collector = lineCollector(wanted);
  const text = (total: number | null): TextLines => ({ type: "text", ...collector.taken(), total });
  let counted = 0;
  for (let position = 0, pause = BYTES_PER_TURN; ; ) {
    signal.throwIfAborted();
    if (position >= pause) {
      pause += BYTES_PER_TURN;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    const bytesRead = readSync(file.fd, chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return text(collector.end());
    const bytes = chunk.subarray(0, bytesRead);
    if (position === 0) {
      const encoding = utf16(bytes) ? "utf-16" : null;
      if (encoding || bytes.subarray(0, SNIFFED_BYTES).includes(NUL)) return { type: "binary", encoding };
    }
    onBytes?.(bytes);
    position += bytesRead;
    if (collector.full) counted += bytesRead;
    collector.add(bytes);
    const isFar = counted > COUNTED_BYTES || wanted.size - position > COUNTED_BYTES;
    if (collector.full && isFar) return text(null);
  }
}

const NOTHING = Buffer.alloc(0);

function lineCollector({ from, count, maxChars }: LinesWanted) {
  const lines: string[] = [];
  const digest = createHash("sha256");
  /** Finished lines, taken or not. */
  let finished = 0;
  let chars = 0;
  /** No further line is taken; the rest is only counted. */
  let full = false;
  /** The last line has no end yet. */
  let open = false;
  /** Its beginning, if it may be taken: no more than is shown. */
  let begun = NOTHING;

  /** Takes finished lines. Decoded together, because one by one takes ten times as long. */
  function take(bytes: Buffer): void {
    const text = bytes.toString("utf8");
    const pieces = text.split("\n");
    const isPlain = !text.includes("\r") && !text.includes("\0");
    const taken = lines.length;
    let end = 0;
    for (const piece of pieces) {
      finished += 1;
      if (full) continue;
      const whole = finished === 1 ? piece.replace(/^\ufeff/, "") : piece;
      const line = isPlain && whole.length <= MAX_LINE_CHARS ? whole : lineText(whole);
      const size = charsOf(line) + NUMBER_CHARS;
      full = lines.length > 0 && chars + size > maxChars;
      if (full) continue;
      lines.push(line);
      chars += size;
      end += piece.length + 1;
      full = lines.length >= count;
    }
    if (end === 0) return;
    if (taken > 0) digest.update("\n");
    // The same digest either way; encoding the text again costs as much as the digest.
    digest.update(isAscii(bytes) ? bytes.subarray(0, end - 1) : text.slice(0, end - 1));
  }

  /** Returns the end of the lines before the first wanted one. */
  function skip(bytes: Buffer): number {
    let at = 0;
    while (finished + 1 < from) {
      const newline = bytes.indexOf(NEWLINE, at);
      if (newline < 0) return bytes.length;
      finished += 1;
      at = newline + 1;
    }
    return at;
  }

  function begin(bytes: Buffer): void {
    const room = MAX_LINE_BYTES - begun.length;
    // Copied, because the memory is reused.
    if (room > 0 && bytes.length > 0) begun = Buffer.concat([begun, bytes.subarray(0, room)]);
  }

  function collect(bytes: Buffer): void {
    const first = bytes.indexOf(NEWLINE);
    if (first < 0) {
      begin(bytes);
      return;
    }
    const last = bytes.lastIndexOf(NEWLINE);
    if (begun.length === 0) take(bytes.subarray(0, last));
    else {
      begin(bytes.subarray(0, first));
      take(begun);
      begun = NOTHING;
      if (last > first) take(bytes.subarray(first + 1, last));
    }
    begin(bytes.subarray(last + 1));
  }

  return {
    get full() {
      return full;
    },
    taken: () => ({ lines, digest: digest.digest("hex") }),
    add(bytes: Buffer): void {
      open = bytes.at(-1) !== NEWLINE;
      const at = skip(bytes);
      if (full) finished += newlinesIn(bytes, at);
      else if (at < bytes.length) collect(bytes.subarray(at));
    },
    /** Returns the number of lines after the last bytes. */
    end(): number {
      if (!open) return finished;
      if (full || finished + 1 < from) finished += 1;
      else take(begun);
      return finished;
    },
  };
}

function newlinesIn(bytes: Buffer, from: number): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Returns a line as it is shown: without a carriage return or NULs, and not too long. */
function lineText(decoded: string): string {
  const text = (decoded.endsWith("\r") ? decoded.slice(0, -1) : decoded).replaceAll("\0", "\u2400");
  if (text.length <= MAX_LINE_CHARS) return text;
  // Not in the middle of a character.
  return `${text.slice(0, MAX_LINE_CHARS).replace(/[\ud800-\udbff]$/, "")} … [line cut after ${MAX_LINE_CHARS} characters]`;
}

function utf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** Whether lines of this text end in CRLF rather than in a line feed alone; by the greater number of them. */
export function usesCrlf(text: string): boolean {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] === "\r") crlf += 1;
    else lf += 1;
  }
  return crlf > lf;
}

/** The text with CRLF at the end of each line, whatever it has now. */
export function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
