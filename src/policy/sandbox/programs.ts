import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isPathInside } from "../../lib/paths.ts";

/** Directories of programs from the package manager; Ubuntu's AppArmor profile is for /usr/bin/bwrap. */
const SYSTEM_FOLDERS = [
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/usr/local/bin",
  "/run/current-system/sw/bin",
];

/**
 * Finds a program that builds the sandbox, which the sandboxed code must not control: never by a relative entry of
 * PATH, and never below an `untrusted` directory (the workspace). Returns null if it does not exist.
 */
export function trustedProgram(
  name: string,
  path: string | undefined,
  untrusted: readonly string[],
): string | null {
  const folders = [...SYSTEM_FOLDERS, ...(path ?? "").split(":").filter(isAbsolute)];
  const unsafe = untrusted.map((folder) => real(folder) ?? folder);
  for (const folder of folders) {
    const candidate = join(folder, name);
    const target = real(candidate);
    if (target === null || !isProgram(target)) continue;
    if (unsafe.some((root) => isPathInside(candidate, root) || isPathInside(target, root))) continue;
    return candidate;
  }
  return null;
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isProgram(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o111) !== 0;
}
