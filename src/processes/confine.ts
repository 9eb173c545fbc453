import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Confined, ConfinedView } from "../mailbox/confined.ts";
import { bubblewrapArguments, NO_DIRECTORY, NO_FILE } from "./bubblewrap.ts";
import type { NamelessFiles } from "./nameless-files.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import { seccompFilter } from "./seccomp.ts";

/** What to start instead of a confined program. */
export interface Held {
  readonly file: string;
  readonly args: readonly string[];
  /** Its descriptors, from `FIRST_DESCRIPTOR` on. */
  readonly descriptors: readonly number[];
  /** True if nothing that it started, and no descriptor that it was given, outlives a program that ended by itself. */
  readonly isTight: boolean;
  /** Returns whether the program itself was started. Call once, when the process has ended. */
  close(): boolean;
}

/** The lower ones are the program's own: its output and its report. */
export const FIRST_DESCRIPTOR = 4;

const REPORT_BYTES = 4_096;

const FILTERS = {
  light: seccompFilter(process.arch, false),
  full: seccompFilter(process.arch, true),
} as const;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** Throws if the confinement cannot be built. */
export function confine(confined: Confined, { file, args, cwd }: Program, files: NamelessFiles): Held {
  const { builder, state, type, bridge = [] } = confined;
  if (process.platform === "darwin")
    return {
      ...{ file: builder, args: ["-p", seatbeltProfile(confined), file, ...args] },
      ...{ descriptors: [], isTight: false, close: () => true },
    };
  // A bridge refuses sockets by itself, once it has opened its own.
  const calls = bridge.length > 0 ? null : FILTERS[type === "full" ? "full" : "light"];
  makeState(state);
  const status = files.take(state);
  const filter = calls === null ? null : files.open(calls, state);
  const isTight = type !== "full" && filter !== null;
  const copied = openCopies(confined.seen);
  const readers = [...(filter === null ? [] : [filter]), ...copied.map(({ descriptor }) => descriptor)];
  const numberOf = (descriptor: number) => FIRST_DESCRIPTOR + 1 + readers.indexOf(descriptor);
  const channels = {
    status: FIRST_DESCRIPTOR,
    filter: filter === null ? null : numberOf(filter),
    copies: new Map(copied.map(({ path, descriptor }) => [path, numberOf(descriptor)])),
  };
  return {
    file: builder,
    args: [...bubblewrapArguments(confined, cwd, channels), ...bridge, file, ...args],
    descriptors: [status, ...readers],
    // It waits for process 1, which ends after all others; in a full one that is a process of its own. A socket could
    // take a descriptor out.
    isTight,
    close() {
      // bubblewrap reports only the exit code of the program, and only if that was started.
      const report = Buffer.alloc(REPORT_BYTES);
      const bytes = readSync(status, report, 0, REPORT_BYTES, 0);
      const started = report.toString("latin1", 0, bytes).includes('"exit-code"');
      files.release(status, started && isTight);
      for (const descriptor of readers) closeSync(descriptor);
      return started;
    },
  };
}

/** Leaves out what has been deleted since. */
function openCopies(seen: readonly ConfinedView[]): { path: string; descriptor: number }[] {
  return seen.flatMap(({ as, path }) => {
    if (as !== "copy") return [];
    try {
      return [{ path, descriptor: openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) }];
    } catch {
      return [];
    }
  });
}

/** The user may have removed the directory. */
function makeState(state: string): void {
  if (existsSync(join(state, NO_FILE))) return;
  mkdirSync(join(state, NO_DIRECTORY), { recursive: true, mode: 0o700 });
  writeFileSync(join(state, NO_FILE), "", { mode: 0o000 });
  chmodSync(join(state, NO_DIRECTORY), 0o000);
}
