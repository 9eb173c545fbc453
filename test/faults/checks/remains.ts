import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** In the environment of everything a session starts, its commands included, so that it is found again. */
export const MARK = "TROUPE_FAULTS_MARK";

/** The processes that carry the mark, as far as this system tells. */
export function marked(mark: string): number[] {
  return namesIn("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    return isMarked(pid, mark) ? [pid] : [];
  });
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${mark}`);
  } catch {
    // It has ended meanwhile, or is another user's.
    return false;
  }
}

/** Most that a process ever had in memory, in megabytes; null where the system does not tell. */
export function peakMemoryMb(pid: number): number | null {
  return statusMb(pid, "VmHWM");
}

/** What it has now. */
export function memoryMb(pid: number): number | null {
  return statusMb(pid, "VmRSS");
}

function statusMb(pid: number, field: "VmHWM" | "VmRSS"): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}

/** What a session that was closed must have given back: its lock, and the socket it listened on. */
export function leftovers(home: string, folder: string): string[] {
  // `lock-of-…` is what a death leaves of a lock that was being taken: nobody reads it.
  const locks = namesIn(folder).filter((name) => /^lock\.\d+$/.test(name));
  const faults = locks
    .filter((lock) => statSync(join(folder, lock)).size > 0)
    .map((lock) => `${lock} still names a process`);
  if (locks.length > 1) faults.push(`${locks.length} lock files are left: ${locks.join(", ")}`);
  return [...faults, ...listening(home).map((path) => `somebody still listens at ${path}`)];
}

/** A socket's file that nobody listens at may be left by a death; the next session there sweeps it. */
function listening(home: string): string[] {
  let table: string;
  try {
    table = readFileSync("/proc/net/unix", "utf8");
  } catch {
    return [];
  }
  return table.split("\n").flatMap((line) => {
    const path = line.slice(line.indexOf("/"));
    return path.startsWith(`${home}/`) ? [path] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
