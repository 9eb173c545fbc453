import { accessSync, chmodSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, errorMessage } from "../../lib/errors.ts";
import { locksOf } from "../../worktrees/runner/trees.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Makes the directory of all worktrees, and the one of this user's locks. Throws if it cannot be used, or if it belongs
 * to another user, who could read and replace what agents work on; root may have made it for all users.
 */
export function prepareTrees(dir: string, me: number | null = process.getuid?.() ?? null): void {
  const isOther = (uid: number) => me !== null && uid !== me;
  try {
    mkdirSync(dirname(dir), { recursive: true });
    makeDir(dir, 0o755);
    // Also the owner of a link, which could change where it leads.
    const other = [lstatSync(dir), statSync(dir)].find(({ uid }) => isOther(uid) && uid !== 0);
    if (other !== undefined) throw new UsageError(foreignText(dir, other.uid));
    const { uid, mode } = statSync(dir);
    const writable = mode & 0o022;
    // With umask 002 an earlier runner has made it so. What root has opened to all is meant to be.
    if (uid === me && writable !== 0 && (mode & 0o1000) === 0) chmodSync(dir, mode & 0o7755);
    if (isOther(uid) && (mode & 0o1002) === 0o002) throw new UsageError(openText(dir));
    accessSync(dir, constants.W_OK | constants.X_OK);
    const locks = locksOf(dir);
    makeDir(locks, 0o700);
    const { uid: owner } = lstatSync(locks);
    if (isOther(owner)) throw new UsageError(foreignText(locks, owner));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `The directory for worktrees, ${dir}, cannot be used (${errorMessage(error)}). It is the same on all runners. ${REMEDY}`,
    );
  }
}

const REMEDY =
  "Make it this user's own, or let root make it for all users of this machine, with the owner root and the mode 1777.";

function foreignText(dir: string, uid: number): string {
  return `The directory for worktrees cannot be used: ${dir} belongs to another user (${uid}), who could change what agents work on. It is the same on all runners. ${REMEDY}`;
}

function openText(dir: string): string {
  return `The directory for worktrees cannot be used: each user of this machine can replace what others have in ${dir}. ${REMEDY}`;
}

/** The umask does not count. Leaves one that exists as it is. */
function makeDir(dir: string, mode: number): void {
  try {
    mkdirSync(dir);
    chmodSync(dir, mode);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
