import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the processes of a group that can still run; undefined without /proc. A zombie answers `kill(pid, 0)` until
 * it is reaped, and in a container pid 1 may reap it late or never.
 */
export function runningMembers(group: number): number[] | undefined {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => isRunningMember(pid, group));
  } catch {
    return undefined;
  }
}

export function isRunningMember(pid: number, group: number): boolean {
  if (!Number.isInteger(pid)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // `pid (name) state ppid pgrp …`, and the name may contain anything, also brackets.
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return pgrp === String(group) && state !== "Z" && state !== "X";
  } catch {
    // It ended after it was listed.
    return false;
  }
}
