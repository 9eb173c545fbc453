import { errorCode, errorMessage } from "../../lib/errors.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { type MergeStory, mergeStateOf } from "./journal.ts";
import { rollBackUnfinished } from "./roll-back.ts";

/**
 * The disk refused a write in the middle: rolls back what is incomplete and keeps what is complete. Returns null if
 * nothing is left of it.
 */
export async function recoverFailed(
  common: string,
  merge: string,
  ground: GitEnvironment,
): Promise<MergeStory["state"] | null> {
  try {
    await rollBackUnfinished(common, ground);
  } catch (error) {
    // A full disk takes no record either: the journal still says to roll it back.
    if (errorCode(error) === undefined) throw error;
  }
  return mergeStateOf(common, merge)?.state ?? null;
}

/** Returns a sentence for the user. */
export function notDone(
  { top }: Repository,
  what: "brought into" | "undone in",
  state: MergeStory["state"] | null,
  error: unknown,
): string {
  const isHalf = state === "open" || state === "undoing";
  const rest = isHalf ? " The next command on worktrees here rolls back what is left of it." : "";
  return `Nothing was ${what} ${top}: ${errorMessage(error)}.${rest}`;
}
