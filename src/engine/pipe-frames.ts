import type { Readable } from "node:stream";
import { z } from "zod/mini";
import { parseJson } from "../lib/json.ts";

/** What crosses a pipe: one JSON object per line. `taking` numbers what the sender takes, or took. */
const frameSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), wire: z.number() }),
  z.object({ type: z.literal("take"), taking: z.number(), pools: z.array(z.string()), slots: z.number() }),
  z.object({ type: z.literal("stop"), taking: z.number() }),
  z.object({
    type: z.literal("attempt"),
    taking: z.number(),
    pool: z.string(),
    id: z.string(),
    body: z.string(),
  }),
  /** `isRun`: else nothing was done, and the attempt waits again. */
  z.object({
    type: z.literal("ended"),
    taking: z.number(),
    pool: z.string(),
    id: z.string(),
    isRun: z.boolean(),
  }),
  /** An attempt that the sender runs has lent its slot, or has it back. */
  z.object({
    type: z.literal("lend"),
    taking: z.number(),
    pool: z.string(),
    id: z.string(),
    isLent: z.boolean(),
  }),
  z.object({ type: z.literal("text"), topic: z.string(), text: z.string() }),
  z.object({ type: z.literal("get"), request: z.number(), name: z.string() }),
  z.object({ type: z.literal("blob"), request: z.number(), base64: z.nullable(z.string()) }),
  z.object({ type: z.literal("drop"), name: z.string() }),
  z.object({ type: z.literal("drop-of"), owner: z.string() }),
]);

export type PipeFrame = z.infer<typeof frameSchema>;

/** Returns null for a line that does not parse. */
export function parseFrame(line: string): PipeFrame | null {
  const parsed = frameSchema.safeParse(parseJson(line));
  return parsed.success ? parsed.data : null;
}

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
