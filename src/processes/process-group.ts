import { type Clock, pause } from "../mailbox/clock.ts";
import { isRunningMember, runningMembers } from "./group-members.ts";

/** Between TERM and KILL. */
const GRACE_MS = 2_000;
/** KILL cannot be ignored, only delayed by a system call that does not end. */
const KILL_PATIENCE_MS = 1_000;
const LOOK_EVERY_MS = 10;

/** The group of a detached child; its id is the child's pid and outlives the child while members live. */
export interface ProcessGroup {
  /** Those of it that run; where that cannot be told, the group's own id stands for some. */
  running(): readonly number[];
  /** TERM, a grace period, KILL; resolves when no member is left. The same promise every time. */
  end(): Promise<void>;
  /** KILL at once, for what must not have a grace period. */
  kill(): void;
}

export function processGroup(id: number, clock: Clock): ProcessGroup {
  let ending: Promise<void> | undefined;
  return {
    running: () => (signalGroup(id, 0) ? (runningMembers(id) ?? [id]) : []),
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

/** Grandchildren send us no event when they end, so the group is looked at. */
async function emptied(id: number, patienceMs: number, clock: Clock): Promise<boolean> {
  const deadline = clock.now() + patienceMs;
  let suspects: readonly number[] = [];
  // Mostly the last one is just about to go.
  for (let waitMs = 1; signalGroup(id, 0); waitMs = Math.min(2 * waitMs, LOOK_EVERY_MS)) {
    if (clock.now() >= deadline) return false;
    await pause(clock, waitMs);
    // Looking through all of /proc is dear, so those found once are watched until none of them runs.
    if (suspects.some((pid) => isRunningMember(pid, id))) continue;
    const running = runningMembers(id);
    if (running?.length === 0) return true;
    suspects = running ?? [];
  }
  return true;
}

/** False when there is nobody (left) in the group whom we could reach. */
export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    // ESRCH: empty. EPERM: only members of another user, or on macOS only zombies; neither is ours to end.
    return false;
  }
}
