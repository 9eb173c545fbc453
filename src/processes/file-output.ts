import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { endsOf, type ReadAt } from "./file-ends.ts";
import type { ProcessOutput } from "./launch.ts";
import { namelessFile } from "./nameless-files.ts";
import type { FileOutput, Lines } from "./processes.ts";

/** How often a growing file is checked for its size and for watched lines. */
const LOOK_EVERY_MS = 100;
const REPORT_BYTES = 16 * 1024;

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

interface Follower {
  readonly tail: ReturnType<typeof tail>;
  tell(lines: Lines): void;
}

/**
 * Returns output that the child writes to a file by descriptor; none of it is held here. A limit on the child's file
 * sizes (ulimit -f) would also stop builds of large files, so this one file is checked instead, and cut to `maxBytes`
 * after a flood was ended. Throws if the file cannot be made.
 */
export function fileOutput(place: FileOutput, maxBytes: number, clock: Clock): ProcessOutput {
  const folder = dirname(place.path);
  const fd = openSync(place.path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const report = place.report ? makeReport(place.path, fd) : null;
  const read: ReadAt = (into, position) => readSync(fd, into, 0, into.length, position);
  let follower: Follower | null = null;
  let flooded = false;
  let looking: Promise<void> = Promise.resolve();
  let withdraw = () => {};

  const look = (last: boolean) => {
    const size = Math.min(fstatSync(fd).size, maxBytes);
    looking = looking.then(async () => {
      const now = follower;
      if (now === null) return;
      const lines = await now.tail.next(size, last);
      if (lines.lines.length > 0 || lines.more) now.tell(lines);
    });
    return looking;
  };

  const keepLooking = (full: (now: "kill" | "end") => void) => {
    withdraw = clock.after(LOOK_EVERY_MS, () => {
      keepLooking(full);
      if (fstatSync(fd).size > maxBytes) {
        flooded = true;
        // During the grace period after TERM, a flood would write as much again.
        full("kill");
      }
      void look(false);
    });
  };

  return {
    descriptors: report === null ? [fd, fd] : [fd, fd, report],
    begin: (_process, full) => keepLooking(full),
    follow(from, words, tell) {
      follower = { tail: tail(read, Math.max(from, follower?.tail.position ?? 0), words), tell };
    },
    async close() {
      withdraw();
      try {
        const { size, nlink } = fstatSync(fd);
        flooded ||= size > maxBytes;
        if (size > maxBytes) ftruncateSync(fd, maxBytes);
        await look(true);
        const ends = await endsOf(Math.min(size, maxBytes), read);
        // The command may have removed its own file, or the whole directory.
        const kept = ends.bytes > place.keepOverBytes && nlink > 0;
        if (!kept) rmSync(place.path, { force: true });
        const said = report === null ? "" : readReport(report);
        return {
          stdout: "",
          stderr: "",
          ...(isFull(folder) ? { reason: DISK_FULL } : {}),
          truncated: flooded,
          file: { ...ends, report: said, kept },
        };
      } finally {
        closeSync(fd);
        if (report !== null) closeSync(report);
      }
    },
  };
}

function makeReport(beside: string, output: number): number {
  try {
    return namelessFile(dirname(beside));
  } catch (error) {
    closeSync(output);
    unlinkSync(beside);
    throw error;
  }
}

const DISK_FULL =
  "The disk that output is kept on is full, so some of what it printed may be missing. Free some space.";

/** Checked after the run: the command itself writes there and may not report a failure. */
function isFull(folder: string): boolean {
  try {
    const { blocks, bfree, bavail } = statfsSync(folder);
    return blocks > 0 && (process.getuid?.() === 0 ? bfree : bavail) === 0;
  } catch {
    // The directory is gone, and nothing is known of its disk.
    return false;
  }
}

function readReport(fd: number): string {
  const bytes = new Uint8Array(Math.min(fstatSync(fd).size, REPORT_BYTES));
  return new TextDecoder().decode(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
}

/** Bytes read at a time; a backlog over `MAX_BEHIND` is skipped, because new lines matter more. */
const STEP_BYTES = 64 * 1024;
const MAX_BEHIND = 1024 * 1024;
const MAX_LINES = 100;
const MAX_LINE_CHARS = 1_000;

/** Follows a growing file line by line from a byte on, with bounded memory. Skips lines without any of `words`, if there are any. */
export function tail(read: ReadAt, from: number, words: readonly string[]) {
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
    /** Bytes reported or skipped. */
    get position() {
      return position;
    },
    /** Returns the lines since the last call, of a file that now has `size` bytes. `last`: include an incomplete line. */
    async next(size: number, last: boolean): Promise<Lines> {
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
