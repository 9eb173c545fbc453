import { readdirSync, readFileSync } from "node:fs";
import { type Clock, pause } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";

/** Carried by every child, so that what left its group can still be found: whose host, and for which actor. */
const HOST_VARIABLE = "TROUPE_HOST";
const OWNER_VARIABLE = "TROUPE_OWNER";
const ROUNDS = 3;
/** Between TERM and KILL. */
const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 20;

export function tagsOf(tag: string, owner: ActorId): Record<string, string> {
  return { [OWNER_VARIABLE]: owner, [HOST_VARIABLE]: tag };
}

/** Unique among what can be alive at one time: the pid of the main process and that of its host. */
export function hostTag(mainPid: number, hostPid: number): string {
  return `${mainPid}.${hostPid}`;
}

/**
 * Kills whatever a dead host started, also what it had no time to tell of and what left its group. Works
 * where there is a /proc; elsewhere nothing is found. A few rounds, because a child may just be forking.
 */
export function killTagged(tag: string): void {
  for (let round = 0; round < ROUNDS; round++) {
    const found = taggedWith(`${HOST_VARIABLE}=${tag}`);
    if (found.length === 0) return;
    for (const pid of found) kill(pid, "SIGKILL");
  }
}

/**
 * Ends what this host started for the actor (null: for any) and what is in no group of its any more: TERM, a
 * grace period, KILL. Resolves when none is found. Finds nothing where there is no /proc, and nothing that has
 * emptied its environment.
 */
export async function endTagged(tag: string, owner: ActorId | null, clock: Clock): Promise<void> {
  const assignments = [`${HOST_VARIABLE}=${tag}`, ...(owner === null ? [] : [`${OWNER_VARIABLE}=${owner}`])];
  const deadline = clock.now() + GRACE_MS;
  const told = new Set<number>();
  for (let found = taggedWith(...assignments); found.length > 0; found = taggedWith(...assignments)) {
    const late = clock.now() >= deadline;
    for (const pid of found) {
      if (late) kill(pid, "SIGKILL");
      else if (!told.has(pid)) kill(pid, "SIGTERM");
      told.add(pid);
    }
    if (clock.now() >= deadline + GRACE_MS) return;
    await pause(clock, LOOK_EVERY_MS);
  }
}

function taggedWith(...assignments: string[]): number[] {
  return processIds().filter((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
      return assignments.every((assignment) => variables.includes(assignment));
    } catch {
      // Gone since it was listed, or another user's: then it is not ours.
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
    // It has ended by itself meanwhile.
  }
}
