import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** True if a path is in a directory, or is it; by its parts, links are not followed. Both are absolute. */
export function isPathInside(path: string, dir: string): boolean {
  const way = relative(dir, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns a directory and those above it, the nearest first; the root only if it is the directory itself. */
export function ancestors(dir: string): string[] {
  const dirs = [dir];
  for (let at = dirname(dir); at !== dirname(at); at = dirname(at)) dirs.push(at);
  return dirs;
}

/** Returns a path with the home directory for a leading `~`; no shell does that in settings or a model's text. */
export function expandHome(path: string, home: string): string {
  return /^~(?:$|\/)/.test(path) ? join(home, path.slice(1)) : path;
}

/** Returns null for an address that is not a file of this machine. */
export function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}
