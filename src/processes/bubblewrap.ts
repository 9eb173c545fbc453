import { join } from "node:path";
import type { Confined, ConfinedView } from "../mailbox/confined.ts";

/** Files in the private directory of confinements, to mount over what is hidden. */
export const NO_FILE = "no-file";
export const NO_DIRECTORY = "no-directory";

/** The descriptors for bubblewrap's report, a filter of system calls, and copied files. */
export interface Channels {
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
      return isPrivate ? [] : ["--ro-bind", join(state, NO_FILE), one.path];
    case "no-directory":
      return isPrivate ? [] : ["--ro-bind", join(state, NO_DIRECTORY), one.path];
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
