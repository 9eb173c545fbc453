import { readdirSync, readFileSync } from "node:fs";

/** Carried by every child, so that those of a host that was killed can be found. */
export const HOST_VARIABLE = "TROUPE_HOST";
const ROUNDS = 3;

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
    for (const pid of found) kill(pid);
  }
}

function taggedWith(assignment: string): number[] {
  return processIds().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(assignment);
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

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself meanwhile.
  }
}
