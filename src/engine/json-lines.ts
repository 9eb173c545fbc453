import type { Readable } from "node:stream";

/**
 * Calls back with each line of a stream, without its end. A longer line than `maxBytes` is dropped, and reported as null:
 * so no more than one line is ever held.
 */
export function readJsonLines(
  input: Readable,
  maxBytes: number,
  onLine: (line: string | null) => void,
): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
    else parts = [];
  };
  input.on("data", (chunk: Buffer | string) => {
    const data = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
      add(data.subarray(start, end));
      const line = bytes <= maxBytes ? Buffer.concat(parts).toString() : null;
      parts = [];
      bytes = 0;
      start = end + 1;
      onLine(line);
    }
    add(data.subarray(start));
  });
}
