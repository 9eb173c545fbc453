import { dirname } from "node:path";
import { fold, foldersOf } from "./names.ts";

/**
 * New names that another one equals on disks that do not tell cases, or forms of accents, apart: somebody of the
 * person's team may have one, and there one file would take the other's place. `names`: all of the result.
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
