import type { ReadAt } from "./file-ends.ts";
import type { Lines } from "./requests.ts";

/** Bytes read at a time; a backlog over `MAX_BEHIND` is skipped, because new lines matter more. */
const STEP_BYTES = 64 * 1024;
const MAX_BEHIND = 1024 * 1024;
const MAX_LINES = 100;
const MAX_LINE_CHARS = 1_000;

/** Follows a growing file line by line, with bounded memory. */
export interface Tail {
  /** Bytes reported or skipped. */
  readonly position: number;
  /**
   * Returns the lines since the last call, of a file that now has `size` bytes. `last`: include an incomplete line.
   */
  next(size: number, last: boolean): Promise<Lines>;
}

/** Starts at the byte `from`. Skips lines without any of `words`, if there are any. */
export function tail(read: ReadAt, from: number, words: readonly string[]): Tail {
  let position = from;
  let decoder = newDecoder();
  let rest = "";

  const step = async (size: number): Promise<string> => {
    const bytes = new Uint8Array(Math.min(STEP_BYTES, size - position));
    const count = await read(bytes, position);
    position = count === 0 ? size : position + count;
    return decoder.decode(bytes.subarray(0, count), { stream: true });
  };

  return {
    get position() {
      return position;
    },
    async next(size, last) {
      const lines: string[] = [];
      let more = false;
      if (size - position > MAX_BEHIND) {
        position = size - STEP_BYTES;
        decoder = newDecoder();
        rest = "";
        more = true;
      }
      const take = (line: string) => {
        if (words.length > 0 && !words.some((word) => line.includes(word))) return;
        if (lines.length < MAX_LINES) lines.push(line.slice(0, MAX_LINE_CHARS));
        else more = true;
      };
      do {
        const text = size > position ? await step(size) : "";
        const parts = (rest + text).split("\n");
        // A line without an end must not grow without limit.
        rest = (parts.pop() ?? "").slice(0, MAX_LINE_CHARS);
        for (const part of parts) take(part);
      } while (last && size > position);
      if (last && rest !== "") take(rest);
      return { lines, more };
    },
  };
}

const newDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });
