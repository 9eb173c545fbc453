import { readdirSync, readFileSync } from "node:fs";
import { type Clock, pause } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";

/** Carried by every child, so that one that left its group can still be found. */
const HOST_VARIABLE = "TROUPE_HOST";
const OWNER_VARIABLE = "TROUPE_OWNER";
const RUN_VARIABLE = "TROUPE_RUN";
const ROUNDS = 3;
const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 20;

export function tagsOf(tag: string, owner: ActorId): Record<string, string> {
  return { [OWNER_VARIABLE]: owner, [HOST_VARIABLE]: tag };
}

export function runTagOf(tag: string, run: number): Record<string, string> {
  return { [RUN_VARIABLE]: `${tag}.${run}` };
}

/** Unique among live processes: the pid of the main process and that of its host. */
export function hostTag(mainPid: number, hostPid: number): string {
  return `${mainPid}.${hostPid}`;
}

/** Kills what a dead host started, also outside of groups. Finds nothing without /proc. Repeats, because a child may fork. */
export function killTagged(tag: string): void {
  for (let round = 0; round < ROUNDS; round++) {
    const found = taggedWith(`${HOST_VARIABLE}=${tag}`);
    if (found.length === 0) return;
    for (const pid of found) kill(pid, "SIGKILL");
  }
}

export function endTagged(tag: string, clock: Clock): Promise<void> {
  return endAll(() => taggedWith(`${HOST_VARIABLE}=${tag}`), clock);
}

export type RunProcesses = ReturnType<typeof runProcesses>;

/** What a run started, by the tag in `env`. Create it before the run starts: it skips older processes. */
export function runProcesses(env: Readonly<Record<string, string>>, clock: Clock) {
  const run = env[RUN_VARIABLE];
  const older = new Set(run === undefined ? [] : processIds());
  const running = () => (run === undefined ? [] : taggedWith(`${RUN_VARIABLE}=${run}`, older));
  return { running, end: () => endAll(running, clock) };
}

/** Sends TERM, then KILL. Finds nothing without /proc, and no process that has emptied its environment. */
async function endAll(find: () => readonly number[], clock: Clock): Promise<void> {
  const deadline = clock.now() + GRACE_MS;
  const signalled = new Set<number>();
  for (let found = find(); found.length > 0; found = find()) {
    const late = clock.now() >= deadline;
    for (const pid of found) {
      if (late) kill(pid, "SIGKILL");
      else if (!signalled.has(pid)) kill(pid, "SIGTERM");
      signalled.add(pid);
    }
    if (clock.now() >= deadline + GRACE_MS) return;
    await pause(clock, LOOK_EVERY_MS);
  }
}

function taggedWith(assignment: string, except: ReadonlySet<number> = new Set()): number[] {
  return processIds().filter((pid) => {
    if (except.has(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(assignment);
    } catch {
      // Ended since it was listed, or another user's: not ours.
      return false;
    }
  });
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
