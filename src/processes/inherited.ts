import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSES_ON_EXEC = 0o2000000;

/**
 * Closes what this process was started with besides its standard streams: a shell above us may have opened files or
 * sockets, which every child would get, a confined one too. What Node itself opens is marked. Linux only.
 */
export function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0) closeSync(descriptor);
    } catch {
      // Closed since it was listed: the list itself was read by one.
    }
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((descriptor) => descriptor > 2);
  } catch {
    return [];
  }
}
