import { lstatSync, readdirSync, statSync } from "node:fs";

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

/** Empty if there is no such directory, or it cannot be listed. */
export function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
