import { lstatSync } from "node:fs";
import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { Repository } from "./environment.ts";
import { ourFolder, treesFolder } from "./layout.ts";
import { refuseRequest } from "./refusal.ts";

/**
 * Makes the directory of the worktrees if missing. Refuses a link or another device: an agent's edits would be outside
 * the checkout. Call only with the repository's lock.
 */
export async function makeTreesFolder(repo: Repository): Promise<void> {
  const folder = treesFolder(repo.top);
  const { dev } = await lstat(repo.top);
  for (const part of [dirname(folder), folder]) {
    if (part === folder) await placeIgnored(folder, join(ourFolder(repo.common), "worktrees.new"));
    await mkdir(part).catch(unlessThere);
    const found = await lstat(part);
    if (found.isSymbolicLink())
      refuseRequest(
        `${part} is a symbolic link, and worktrees are not made behind one; put a directory in its place.`,
      );
    if (!found.isDirectory())
      refuseRequest(`${part} is not a directory, so no worktree can be created there; move it away.`);
    if (found.dev !== dev)
      refuseRequest(
        `${part} is on another disk than ${repo.top}, and edits could not be merged from there in one step; put a directory in its place.`,
      );
  }
  await ignoreAll(join(folder, ".gitignore"));
}

/** Places it with its `.gitignore` in one step: a snapshot at the same time would have the file. Else it is made as always. */
async function placeIgnored(folder: string, prepared: string): Promise<void> {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  try {
    await mkdir(prepared, { recursive: true });
    await writeFile(join(prepared, ".gitignore"), EVERYTHING);
    await rename(prepared, folder);
  } catch {
    // Such as another disk.
    await rm(prepared, { recursive: true, force: true });
  }
}

/** The star matches the file itself, too: git sees none of this. */
const EVERYTHING = "*\n";

async function ignoreAll(file: string): Promise<void> {
  const isEmpty = await stat(file).then(
    ({ size }) => size === 0,
    () => false,
  );
  // A full disk or a crash may have left it empty; the user did not write that.
  await writeFile(file, EVERYTHING, { flag: isEmpty ? "w" : "wx" }).catch(unlessThere);
}

/** True if it exists and is not behind a link. */
export function hasOwnTreesFolder(checkout: string): boolean {
  const folder = treesFolder(checkout);
  return [dirname(folder), folder].every((part) => lstatSync(part, { throwIfNoEntry: false })?.isDirectory());
}

/** Returns null if git ignores it. The user's own patterns there are only reported. */
export async function notIgnored(repo: Repository, path: string): Promise<string | null> {
  const lines = (await readFile(join(treesFolder(repo.top), ".gitignore"), "utf8").catch(() => "")).split(
    "\n",
  );
  if (lines.includes("*") && !lines.some((line) => line.startsWith("!"))) return null;
  const { code } = await repo.git.run(["check-ignore", "-q", path]);
  return code === 0
    ? null
    : `${join(treesFolder(repo.top), ".gitignore")} does not ignore the worktrees there, so git shows them; a line "*" in it would.`;
}

function unlessThere(error: unknown): void {
  if (errorCode(error) !== "EEXIST") throw error;
}
