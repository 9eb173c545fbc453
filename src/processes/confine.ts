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
import { namelessCopy, namelessFile } from "./nameless-files.ts";
import { seccompFilter } from "./seccomp.ts";

/** What to start instead of a confined program. */
export interface Held {
  readonly file: string;
  readonly args: readonly string[];
  /** Its descriptors, from `FIRST_DESCRIPTOR` on. */
  readonly descriptors: readonly number[];
  /** True if nothing that it started outlives a program that ended by itself. */
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
export function confine(confined: Confined, { file, args, cwd }: Program): Held {
  const { builder, state, type, bridge = [] } = confined;
  if (process.platform === "darwin")
    return {
      ...{ file: builder, args: ["-p", seatbeltProfile(confined), file, ...args] },
      ...{ descriptors: [], isTight: false, close: () => true },
    };
  // A bridge refuses sockets by itself, once it has opened its own.
  const calls = bridge.length > 0 ? null : FILTERS[type === "full" ? "full" : "light"];
  makeState(state);
  const status = namelessFile(state);
  const filter = calls === null ? null : namelessCopy(calls, state);
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
    // It waits for process 1, which ends after all others; in a full one that is a process of its own.
    isTight,
    close() {
      // bubblewrap reports only the exit code of the program, and only if that was started.
      const report = Buffer.alloc(REPORT_BYTES);
      const bytes = readSync(status, report, 0, REPORT_BYTES, 0);
      const started = report.toString("latin1", 0, bytes).includes('"exit-code"');
      for (const descriptor of [status, ...readers]) closeSync(descriptor);
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

/** Files in the private directory of confinements, to mount over what is hidden. */
const NO_FILE = "no-file";
const NO_DIRECTORY = "no-directory";

/** The descriptors for bubblewrap's report, a filter of system calls, and copied files. */
interface Channels {
  readonly status: number;
  readonly filter: number | null;
  /** Descriptors of files shown as a copy, by path. */
  readonly copies: ReadonlyMap<string, number>;
}

const NOBODY = ["--uid", "65534", "--gid", "65534"];
const DEVICES = ["null", "zero", "urandom"];

/** Returns the arguments of bubblewrap that confine a program; the program follows them. */
export function bubblewrapArguments(
  { type, state, seen, weaker, bridge }: Confined,
  cwd: string,
  { status, filter, copies }: Channels,
): string[] {
  return [
    ...["--ro-bind", "/", "/", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"],
    // Without sockets its own network adds nothing, and is slow. As process 1 a command ends all it started before its
    // end is reported, but it cannot signal itself.
    ...(type === "full" ? ["--unshare-net", "--dev", "/dev"] : ["--as-pid-1", ...devices()]),
    ...(weaker ? [] : ["--proc", "/proc"]),
    // A bridge makes another namespace, which root cannot do without its capabilities.
    ...(bridge === undefined ? [] : ["--unshare-user", ...(process.getuid?.() === 0 ? NOBODY : [])]),
    ...mounts(seen, type === "full" ? [] : [{ as: "scratch", path: "/dev" }], state, copies),
    ...(filter === null ? [] : ["--seccomp", String(filter)]),
    ...["--chdir", cwd, "--json-status-fd", String(status), "--"],
  ];
}

/** `--dev` also mounts terminals, which takes a third of a command's time. */
function devices(): string[] {
  return [
    ...["--tmpfs", "/dev", "--symlink", "/proc/self/fd", "/dev/fd"],
    ...["--symlink", "urandom", "/dev/random"],
    ...["stdin", "stdout", "stderr"].flatMap((name, fd) => [
      "--symlink",
      `/proc/self/fd/${fd}`,
      `/dev/${name}`,
    ]),
    ...DEVICES.flatMap((name) => ["--dev-bind", `/dev/${name}`, `/dev/${name}`]),
  ];
}

/** From the outside in, without mounts that change nothing; `made`: existing mounts. */
function mounts(
  seen: readonly ConfinedView[],
  made: readonly ConfinedView[],
  state: string,
  copies: Channels["copies"],
): string[] {
  const sorted = seen.toSorted((one, other) => depth(one.path) - depth(other.path));
  const empty = sorted.filter(({ as }) => as === "empty");
  return [
    ...sorted.flatMap((one, at) =>
      mount(one, around(one, [...made, ...sorted.slice(0, at)]), state, copies.get(one.path)),
    ),
    // Only now: the mount points in them had to be made first.
    ...empty.flatMap(({ path }) => ["--remount-ro", path]),
  ];
}

function mount(
  one: ConfinedView,
  outside: ConfinedView["as"],
  state: string,
  copy: number | undefined,
): readonly string[] {
  const isPrivate = outside === "scratch" || outside === "empty";
  const isHidden = isPrivate || outside === "no-directory" || outside === "no-file";
  switch (one.as) {
    case "scratch":
      return [outside === "scratch" ? "--dir" : "--tmpfs", one.path];
    case "empty":
      return ["--tmpfs", one.path];
    case "copy":
      return isPrivate && copy !== undefined ? ["--file", String(copy), one.path] : [];
    case "read":
      return outside === "read" ? [] : ["--ro-bind", one.path, one.path];
    case "write":
      return outside === "write" ? [] : ["--bind", one.path, one.path];
    case "pinned":
      return outside === "write" || outside === "pinned" ? ["--bind", one.path, one.path] : [];
    case "no-file":
      return isHidden ? [] : ["--ro-bind", join(state, NO_FILE), one.path];
    case "no-directory":
      return isHidden ? [] : ["--ro-bind", join(state, NO_DIRECTORY), one.path];
    case "link":
      return isPrivate ? ["--symlink", one.to, one.path] : [];
    default:
      return one satisfies never;
  }
}

/** Returns how the nearest path around this one is seen; the last of equals counts. */
function around({ path }: ConfinedView, outer: readonly ConfinedView[]): ConfinedView["as"] {
  return outer.findLast((other) => path === other.path || path.startsWith(`${other.path}/`))?.as ?? "read";
}

function depth(path: string): number {
  return path.split("/").length;
}

/** For macOS's sandbox-exec, where later rules win. It cannot mount: `empty` and `scratch` are hidden. */
export function seatbeltProfile({ seen }: Pick<Confined, "seen">): string {
  const sorted = seen.toSorted((one, other) => one.path.split("/").length - other.path.split("/").length);
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read* file-test-existence)",
    '(allow file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero"))',
    // Directories on the way to visible paths can be passed through.
    ...sorted.flatMap(rulesOf),
    "(allow file-read-metadata)",
  ].join("\n");
}

function rulesOf(one: ConfinedView): readonly string[] {
  const path = `(subpath ${JSON.stringify(one.path)})`;
  switch (one.as) {
    case "scratch":
    case "empty":
    case "no-file":
    case "no-directory":
      return [`(deny file-read* file-write* ${path})`];
    case "read":
    case "copy":
      return [`(allow file-read* ${path})`, `(deny file-write* ${path})`];
    case "write":
      return [`(allow file-read* file-write* ${path})`];
    case "pinned":
      return [`(deny file-write-unlink (literal ${JSON.stringify(one.path)}))`];
    case "link":
      return [];
    default:
      return one satisfies never;
  }
}
