import { readFileSync } from "node:fs";
import { errorCode } from "../lib/errors.ts";

/** Which process it is, also after its number was given to another one. Plain data. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * When the system started it: the boot's id, and ticks since. Null where the system does not tell (anything
   * but Linux): then a pid that was given again is taken for the old process.
   */
  readonly startedAt: string | null;
}

export function processIdentity(pid: number): ProcessIdentity {
  const stat = statOf(pid);
  return { pid, startedAt: stat === null ? null : startOf(stat) };
}

/** Starts no process and asks no disk: a signal of nothing, and two reads below /proc. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  if (!exists(pid)) return false;
  const stat = statOf(pid);
  // It may have ended just now.
  if (stat === null || startedAt === null) return exists(pid);
  // A killed process whose parent has not looked yet answers signals.
  return !stat.isZombie && startOf(stat) === startedAt;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is somebody else's.
    return errorCode(error) !== "ESRCH";
  }
}

interface Stat {
  readonly ticks: string;
  readonly isZombie: boolean;
}

/** The boot's id too: ticks count from there. */
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
