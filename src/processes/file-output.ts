import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../mailbox/clock.ts";
import { endsOf, type ReadAt } from "./file-ends.ts";
import type { NamelessFiles } from "./nameless-files.ts";
import type { Output } from "./output.ts";
import type { FileOutput, Lines } from "./requests.ts";
import { type Tail, tail } from "./tail.ts";

/** How often a file that is being written is looked at: for its size, and for lines that somebody waits for. */
const LOOK_EVERY_MS = 100;
const REPORT_BYTES = 16 * 1024;

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

interface Follower {
  readonly tail: Tail;
  tell(lines: Lines): void;
}

/**
 * Output that the child writes to a file by descriptor; nothing of it is held here. A limit on the child's
 * file sizes (ulimit -f) would also end what builds a large file, so this one file is looked at instead, and
 * cut to `maxBytes` when a flood was ended. Throws where the file cannot be made.
 */
export function fileOutput(place: FileOutput, maxBytes: number, clock: Clock, files: NamelessFiles): Output {
  const report = place.report ? files.take(dirname(place.path)) : null;
  const fd = createFile(place.path, () => report === null || files.release(report, true));
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
        // In the time that TERM gives, a flood would write as much again.
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
    async close(isGone) {
      withdraw();
      try {
        const { size, nlink } = fstatSync(fd);
        flooded ||= size > maxBytes;
        if (size > maxBytes) ftruncateSync(fd, maxBytes);
        await look(true);
        const ends = await endsOf(Math.min(size, maxBytes), read);
        // The command may have removed its own file, or the whole folder.
        const kept = ends.bytes > place.keepOverBytes && nlink > 0;
        const reason = isFull(dirname(place.path)) ? { reason: DISK_FULL } : {};
        if (!kept) rmSync(place.path, { force: true });
        const said = report === null ? "" : readReport(report);
        return {
          stdout: "",
          stderr: "",
          ...reason,
          truncated: flooded,
          file: { ...ends, report: said, kept },
        };
      } finally {
        closeSync(fd);
        if (report !== null) files.release(report, isGone);
      }
    },
  };
}

function createFile(path: string, onFailure: () => void): number {
  try {
    return openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    onFailure();
    throw error;
  }
}

const DISK_FULL =
  "The disk that output is kept on is full, so some of what it printed may be missing. Free some space.";

/** Looked at afterwards: whoever writes there is the command itself, and it need not say that it could not. */
function isFull(folder: string): boolean {
  try {
    const { blocks, bfree, bavail } = statfsSync(folder);
    return blocks > 0 && (process.getuid?.() === 0 ? bfree : bavail) === 0;
  } catch {
    // The folder is gone, and nothing is known of its disk.
    return false;
  }
}

function readReport(fd: number): string {
  const bytes = new Uint8Array(Math.min(fstatSync(fd).size, REPORT_BYTES));
  return new TextDecoder().decode(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
}
