import { dirname } from "node:path";
import { fold, foldersOf } from "./names.ts";

/**
 * Returns new names that equal another on disks that ignore case or forms of accents: on a colleague's disk one file
 * would overwrite the other. `names`: all of the result.
 */
export function nameCollisions(added: readonly string[], names: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const name of names)
    for (let at = dirname(name); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at);
  const asFile = spellings(names);
  const asFolder = spellings([...folders]);
  return added.filter((path) => {
    const key = fold(path);
    return (
      isOther(asFile.get(key), path) ||
      isOther(asFolder.get(key), path) ||
      foldersOf(path).some((folder) => isOther(asFile.get(fold(folder)), folder))
    );
  });
}

function spellings(names: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const key = fold(name);
    const same = found.get(key);
    if (same === undefined) found.set(key, [name]);
    else same.push(name);
  }
  return found;
}

function isOther(spelled: readonly string[] | undefined, path: string): boolean {
  return spelled?.some((name) => name !== path) ?? false;
}
