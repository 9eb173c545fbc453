import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Processes that carry this in their environment, such as the one home of a test: what a program left behind. */
export function processesWith(marker: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || name === String(process.pid)) return false;
    try {
      return readFileSync(join("/proc", name, "environ"), "utf8").includes(marker) && !isZombie(name);
    } catch {
      // It has ended since, or is not ours to look at.
      return false;
    }
  });
}

function isZombie(pid: string): boolean {
  return /^\d+ \(.*\) Z/s.test(readFileSync(join("/proc", pid, "stat"), "utf8"));
}
