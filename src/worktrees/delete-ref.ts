import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { processIdentity } from "../journal/process-identity.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { gcRuns } from "./gc-guard.ts";
import { GIT_KILLED, type GitAnswer } from "./git.ts";
import { dropLocksOfKilled } from "./killed-git.ts";
import { ourFolder } from "./layout.ts";

/** A symbolic link to who deletes what, as locks are: it is made whole or not at all. */
const NOTE = /^deleting-/;
const Deleter = z.object({ pid: z.number(), startedAt: z.nullable(z.string()) });
/** Git waits a second for the lock, and then needs milliseconds. */
const DELETION_MS = 5_000;

/**
 * Deletes a ref; only if it is `tip`, if that is given. Git locks the packed refs for it, and one that is killed leaves the
 * lock: then the user could delete or pack no ref. A note tells such a lock from another program's.
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

/** Of processes that died while they deleted refs. Only for the holder of the repository's lock. */
export async function dropPackedLocks(common: string, ground: GitEnvironment): Promise<void> {
  for (const name of readdirSync(ourFolder(common)).filter((one) => NOTE.test(one))) {
    const note = join(ourFolder(common), name);
    if (ground.isAlive(z.parse(Deleter, JSON.parse(readlinkSync(note))))) continue;
    if (!gcRuns(common, ground)) await dropPackedLock(common, note);
    rmSync(note, { force: true });
  }
}

/** What is written under it is beside it, and git begins none if one was left. */
async function dropPackedLock(common: string, note: string): Promise<void> {
  const files = ["packed-refs.new", "packed-refs.lock"].map((name) => join(common, name));
  const since = lstatSync(note).mtimeMs;
  await dropLocksOfKilled(files, since, since + DELETION_MS);
}
