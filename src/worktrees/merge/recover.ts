import { errorCode, errorMessage } from "../../lib/errors.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import type { Disk } from "./disk.ts";
import { type MergeStory, mergeStateOf } from "./journal.ts";
import { rollBackUnfinished } from "./roll-back.ts";

/**
 * The disk refused something in the middle: what is half done is taken back, and what was done already stays done.
 * Null: nothing of it is there any more.
 */
export async function recoverFailed(
  common: string,
  merge: string,
  ground: GitEnvironment,
  disk: Disk,
): Promise<MergeStory["state"] | null> {
  try {
    await rollBackUnfinished(common, ground, disk);
  } catch (error) {
    // Full disks take nothing, not even the record of it: the journal still says that it is to be taken back.
    if (errorCode(error) === undefined) throw error;
  }
  return mergeStateOf(common, merge)?.state ?? null;
}

/** A sentence for a person. */
export function notDone(
  { top }: Repository,
  what: "brought into" | "undone in",
  state: MergeStory["state"] | null,
  error: unknown,
): string {
  const isHalf = state === "open" || state === "undoing";
  const rest = isHalf ? " What is left of it is taken back by the next command on worktrees here." : "";
  return `Nothing was ${what} ${top}: ${errorMessage(error)}.${rest}`;
}
