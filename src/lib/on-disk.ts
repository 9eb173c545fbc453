import { chmodSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isMissing } from "./errors.ts";

/** Whether something has this name, be it a link to nothing. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A directory itself: a link to one is none. */
export function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A directory, or a link to one. False for a link that leads back to itself. */
export function leadsToDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** Returns what `read` returns, or `otherwise` if what it reads does not exist. Throws any other error. */
export function unlessMissing<T, Other>(read: () => T, otherwise: Other): T | Other {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return otherwise;
    throw error;
  }
}

/** Empty if there is no such directory, or it cannot be listed. */
export function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Removes a directory of Troupe's own, also what a program has made read-only in it: only root may remove that as it is. */
export function removeDirectory(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (errorCode(error) !== "EACCES" && errorCode(error) !== "EPERM") throw error;
    makeWritable(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
}
