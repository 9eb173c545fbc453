import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseIdentity, processIdentity } from "../journal/process-identity.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { gcRuns } from "./gc-guard.ts";
import { GIT_KILLED, type GitAnswer } from "./git.ts";
import { dropLocksOfKilled } from "./killed-git.ts";
import { ourFolder } from "./layout.ts";

/** A symbolic link that names the deleting process, like a lock: it is made wholly or not at all. */
const NOTE = /^deleting-/;
/** Git waits a second for the lock, then needs milliseconds. */
const DELETION_MS = 5_000;

/**
 * Deletes a ref, if given only while it points to `tip`. Git locks the packed refs for this, and a killed git leaves
 * the lock, so the user could not delete or pack any ref. A note tells such a lock from another program's.
 */
export async function deleteRef(
  { git, common }: Pick<Repository, "git" | "common">,
  ref: string,
  tip?: string,
): Promise<GitAnswer> {
  mkdirSync(ourFolder(common), { recursive: true });
  const note = join(ourFolder(common), `deleting-${process.pid}-${ref.replaceAll("/", "-")}`);
  rmSync(note, { force: true });
  symlinkSync(JSON.stringify(processIdentity(process.pid)), note);
  const run = () => git.run(["update-ref", "-d", ref, ...(tip === undefined ? [] : [tip])]);
  try {
    const answer = await run();
    if (answer.err !== GIT_KILLED) return answer;
    await dropPackedLock(common, note);
    return await run();
  } finally {
    rmSync(note, { force: true });
  }
}

/** Removes the locks of processes that died while they deleted refs. Call only with the repository's lock. */
export async function dropPackedLocks(common: string, ground: GitEnvironment): Promise<void> {
  for (const name of readdirSync(ourFolder(common)).filter((one) => NOTE.test(one))) {
    const note = join(ourFolder(common), name);
    const deleter = parseIdentity(readlinkSync(note));
    if (deleter !== null && ground.isAlive(deleter)) continue;
    if (!gcRuns(common, ground)) await dropPackedLock(common, note);
    rmSync(note, { force: true });
  }
}

/** Git writes the new file next to the lock, and does not start if one was left. */
async function dropPackedLock(common: string, note: string): Promise<void> {
  const files = ["packed-refs.new", "packed-refs.lock"].map((name) => join(common, name));
  const since = lstatSync(note).mtimeMs;
  await dropLocksOfKilled(files, since, since + DELETION_MS);
}
