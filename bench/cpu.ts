import { readFileSync } from "node:fs";

/** A tick of Linux, in the unit of its own reports. */
const TICK_MS = 10;

/**
 * Milliseconds of processor time that these processes and their ended children have taken so far, in steps of
 * 10 ms. What waits for its turn on a busy machine takes none. Null where the system does not tell.
 */
export function cpuMs(pids: readonly (number | undefined)[]): number | null {
  try {
    return pids.reduce<number>((sum, pid) => sum + ticksOf(pid) * TICK_MS, 0);
  } catch {
    return null;
  }
}

function ticksOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // After the name, which may contain anything: state is the third field, the four times are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** The node processes that this thread has started, without `others`; none where the system does not tell. */
export function startedHere(others: readonly (number | undefined)[]): number[] {
  try {
    const started = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
    return started
      .split(" ")
      .filter((pid) => pid.trim() !== "")
      .map(Number)
      .filter((pid) => !others.includes(pid));
  } catch {
    return [];
  }
}
