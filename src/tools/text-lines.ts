import type { FileHandle } from "node:fs/promises";

/** Longer lines are cut, with a mark. In UTF-16 units, never through a character. */
export const MAX_LINE_CHARS = 2_000;
/** Enough bytes for the characters above in any script, so that a line of gigabytes is never held. */
const MAX_LINE_BYTES = MAX_LINE_CHARS * 4;
const CHUNK_BYTES = 64 * 1024;
/** How far the end of the file is looked for, only to say how many lines there are. */
const COUNTED_BYTES = 16 * 1024 * 1024;
const SNIFFED_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const NUL = 0;

export interface LinesWanted {
  /** First line, from 1. */
  readonly from: number;
  readonly count: number;
  /** Characters after which no further line is taken; the first one is taken in any case. */
  readonly maxChars: number;
}

export type TextLines =
  | { readonly type: "binary"; readonly encoding: "utf-16" | null }
  | {
      readonly type: "text";
      readonly lines: readonly string[];
      /** Lines of the whole file; null when its end was not looked for because it is far away. */
      readonly total: number | null;
    };

/**
 * Some lines of a file, read as a stream: memory does not grow with the file, however deep they are. `onBytes`
 * gets everything that is read, in order; of a small text that is the whole file.
 */
export async function readTextLines(
  file: FileHandle,
  wanted: LinesWanted,
  signal: AbortSignal,
  onBytes?: (bytes: Uint8Array) => void,
): Promise<TextLines> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const collector = lineCollector(wanted);
  let counted = 0;
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return { type: "text", lines: collector.lines, total: collector.end() };
    const bytes = chunk.subarray(0, bytesRead);
    if (position === 0) {
      const encoding = utf16(bytes) ? "utf-16" : null;
      if (encoding || bytes.subarray(0, SNIFFED_BYTES).includes(NUL)) return { type: "binary", encoding };
    }
    onBytes?.(bytes);
    position += bytesRead;
    if (collector.full) counted += bytesRead;
    if (counted > COUNTED_BYTES) return { type: "text", lines: collector.lines, total: null };
    collector.add(bytes);
  }
}

interface LineCollector {
  readonly lines: readonly string[];
  /** No further line will be taken; the rest is only counted. */
  readonly full: boolean;
  add(bytes: Buffer): void;
  /** The number of lines, when there are no more bytes. */
  end(): number;
}

function lineCollector({ from, count, maxChars }: LinesWanted): LineCollector {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const lines: string[] = [];
  let finished = 0;
  let chars = 0;
  let full = false;
  let open = false;
  let kept: Buffer[] = [];
  let keptBytes = 0;

  function keep(bytes: Buffer): void {
    const piece = bytes.subarray(0, MAX_LINE_BYTES - keptBytes);
    // Copied, because the chunk is used again.
    kept.push(Buffer.from(piece));
    keptBytes += piece.length;
  }

  function finishLine(): void {
    finished += 1;
    open = false;
    if (full || finished < from) return;
    const decoded = decoder.decode(Buffer.concat(kept));
    const line = lineText(finished === 1 ? decoded.replace(/^\ufeff/, "") : decoded);
    kept = [];
    keptBytes = 0;
    if (lines.length > 0 && chars + line.length > maxChars) {
      full = true;
      return;
    }
    lines.push(line);
    chars += line.length;
    full = lines.length >= count;
  }

  return {
    lines,
    get full() {
      return full;
    },
    add(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const newline = bytes.indexOf(NEWLINE, at);
        const end = newline < 0 ? bytes.length : newline;
        if (!full && finished + 1 >= from && keptBytes < MAX_LINE_BYTES) keep(bytes.subarray(at, end));
        open = true;
        if (newline >= 0) finishLine();
        at = end + 1;
      }
    },
    end() {
      if (open) finishLine();
      return finished;
    },
  };
}

/** What is shown of one line: no carriage return, no NUL, and not too much. */
function lineText(decoded: string): string {
  const text = (decoded.endsWith("\r") ? decoded.slice(0, -1) : decoded).replaceAll("\0", "\u2400");
  if (text.length <= MAX_LINE_CHARS) return text;
  const inCharacter = isHighSurrogate(text.charCodeAt(MAX_LINE_CHARS - 1));
  return `${text.slice(0, MAX_LINE_CHARS - (inCharacter ? 1 : 0))} … [line cut after ${MAX_LINE_CHARS} characters]`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function utf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}
