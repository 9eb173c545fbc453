import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSES_ON_EXEC = 0o2000000;

/**
 * Closes inherited descriptors other than the standard streams: every child, a confined one too, would get the files
 * and sockets of a shell above us. Those that Node opens are close-on-exec. Linux only.
 */
export function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0) closeSync(descriptor);
    } catch {
      // Closed since it was listed, as the descriptor of the list itself.
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
