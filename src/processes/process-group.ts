import { readdirSync, readFileSync } from "node:fs";
import { type Clock, pause } from "../lib/clock.ts";

const GRACE_MS = 2_000;
/** KILL cannot be ignored, only delayed by a system call that does not end. */
const KILL_PATIENCE_MS = 1_000;
const LOOK_EVERY_MS = 10;

export type ProcessGroup = ReturnType<typeof processGroup>;

/** The group of a detached child; its ID is the child's pid and outlives the child while members live. */
export function processGroup(id: number, clock: Clock) {
  let ending: Promise<void> | undefined;
  return {
    /** Its running processes; if they cannot be listed, the group's own ID. */
    running: (): readonly number[] => (signalGroup(id, 0) ? (runningMembers(id) ?? [id]) : []),
    /** Sends TERM, waits for a grace period, sends KILL; resolves when no member is left. */
    end() {
      ending ??= endGroup(id, clock);
      return ending;
    },
    kill: () => void signalGroup(id, "SIGKILL"),
  };
}

async function endGroup(id: number, clock: Clock): Promise<void> {
  if (!signalGroup(id, "SIGTERM")) return;
  if (await emptied(id, GRACE_MS, clock)) return;
  signalGroup(id, "SIGKILL");
  await emptied(id, KILL_PATIENCE_MS, clock);
}

/** The end of a grandchild sends no event, so the group is polled. */
async function emptied(id: number, patienceMs: number, clock: Clock): Promise<boolean> {
  const deadline = clock.now() + patienceMs;
  let suspects: readonly number[] = [];
  // The last one usually ends soon.
  for (let waitMs = 1; signalGroup(id, 0); waitMs = Math.min(2 * waitMs, LOOK_EVERY_MS)) {
    if (clock.now() >= deadline) return false;
    await pause(clock, waitMs);
    // A search through /proc is slow, so known members are watched until none of them runs.
    if (suspects.some((pid) => isRunningMember(pid, id))) continue;
    const running = runningMembers(id);
    if (running?.length === 0) return true;
    suspects = running ?? [];
  }
  return true;
}

/** Returns false if the group has no member that we can signal. */
export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    // ESRCH: empty. EPERM: only members of another user, or on macOS only zombies; neither is ours to end.
    return false;
  }
}

/** Undefined without /proc. A zombie answers `kill(pid, 0)` until it is reaped, which may be never in a container. */
function runningMembers(group: number): number[] | undefined {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => isRunningMember(pid, group));
  } catch {
    return undefined;
  }
}

function isRunningMember(pid: number, group: number): boolean {
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
