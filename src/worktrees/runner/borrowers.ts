import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Notes that a repository reads the objects of a clone: a prune leaves the clone alone as long as that one exists. */
export function noteBorrower(clone: string, name: string, path: string): void {
  mkdirSync(folderOf(clone), { recursive: true });
  writeFileSync(join(folderOf(clone), name), path);
}

export function dropBorrower(clone: string, name: string): void {
  rmSync(join(folderOf(clone), name), { force: true });
}

/** Forgets those that no longer exist, such as after a reboot. */
export function hasBorrowers(clone: string): boolean {
  if (!existsSync(folderOf(clone))) return false;
  const names = readdirSync(folderOf(clone));
  const lives = names.filter((name) => existsSync(readFileSync(join(folderOf(clone), name), "utf8")));
  for (const name of names) if (!lives.includes(name)) dropBorrower(clone, name);
  return lives.length > 0;
}

function folderOf(clone: string): string {
  return join(clone, "borrowers");
}
