import { readFileSync } from "node:fs";
import { errorCode } from "../lib/errors.ts";
import { parseJson, valueAt } from "../lib/json.ts";

/** Identifies a process, even after its pid was reused. Plain data. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * When the system started it: the boot's ID, and ticks since. Null if the system does not report it (anything but
   * Linux): then a reused pid looks like the old process.
   */
  readonly startedAt: string | null;
}

export function processIdentity(pid: number): ProcessIdentity {
  const stat = statOf(pid);
  return { pid, startedAt: stat === null ? null : startOf(stat) };
}

/** Parses what names a process as JSON; null if it names none. */
export function parseIdentity(text: string): ProcessIdentity | null {
  const read = parseJson(text);
  const [pid, startedAt] = [valueAt(read, ["pid"]), valueAt(read, ["startedAt"])];
  const isPid = typeof pid === "number" && Number.isInteger(pid) && pid > 0;
  return isPid && (startedAt === null || typeof startedAt === "string") ? { pid, startedAt } : null;
}

/** Starts no process and reads no disk: sends signal 0 and reads two files below /proc. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  if (!exists(pid)) return false;
  const stat = statOf(pid);
  // It may have just ended.
  if (stat === null || startedAt === null) return exists(pid);
  // A killed process that is not yet reaped answers signals.
  return !stat.isZombie && startOf(stat) === startedAt;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it belongs to another user.
    return errorCode(error) !== "ESRCH";
  }
}

interface Stat {
  readonly ticks: string;
  readonly isZombie: boolean;
}

/** Includes the boot's ID, because ticks count from there. */
function startOf({ ticks }: Stat): string {
  return `${textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? "this boot"} ${ticks}`;
}

function statOf(pid: number): Stat | null {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name, in parentheses, may have spaces and parentheses of its own; the state is the third field.
  const [state = "", ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = rest[18];
  return ticks === undefined ? null : { ticks, isZombie: state === "Z" || state === "X" };
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Another system, or a process that has just ended.
    return null;
  }
}
