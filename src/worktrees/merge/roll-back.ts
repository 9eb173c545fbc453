import { join } from "node:path";
import { errorCode, errorMessage } from "../../lib/errors.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { gitIn } from "../git.ts";
import { deleteRef } from "../git-locks.ts";
import { mergeFolder, mergeRef } from "../layout.ts";
import { answered } from "../refusal.ts";
import { noteMerged } from "../tree-record.ts";
import { moveBack, moveForth } from "./commit.ts";
import type { Disk } from "./disk.ts";
import { dropOwnLocks } from "./index-entries.ts";
import {
  type Committed,
  forgetMerge,
  type MergeStory,
  mergeStateOf,
  openMerge,
  record,
  setClosed,
} from "./merge-journal.ts";
import { type LeftInPlace, revertExchange } from "./revert-exchange.ts";

export interface RolledBack {
  /** Merges that a crash cut off and that left no trace. */
  readonly merges: readonly string[];
  /** What could not be restored because it was written to since. */
  readonly notes: readonly string[];
}

/** Rolls back what a crash left incomplete. Call only under the repository's lock. */
export async function rollBackUnfinished(common: string, ground: GitEnvironment): Promise<RolledBack> {
  const open = openMerge(common);
  if (open === null) return { merges: [], notes: [] };
  const { merge, bytes } = open;
  const story = mergeStateOf(common, merge);
  const git = gitIn(common, ground.env);
  // It had at most made its directory and its refs.
  if (story === null && bytes !== null) await forgetTakenBack({ git, common }, merge, bytes, [], ground.disk);
  const notes = story === null ? [] : await rollBack(common, story, ground);
  if (story !== null) disposeOf(story, ground.disk);
  setClosed(common, ground.disk);
  return { merges: story?.state === "open" || story?.state === "undoing" ? [merge] : [], notes };
}

async function rollBack(common: string, story: MergeStory, ground: GitEnvironment): Promise<string[]> {
  const { start, undo } = story;
  if (story.state === "elsewhere") return [strayed(common, start)];
  const repo = repositoryOf(common, story, ground);
  await dropOwnLocks(repo, start.committed?.branch ?? null);
  switch (story.state) {
    case "open": {
      const left = revertExchange(start.exchange, ground.disk);
      const notes = start.committed === null ? [] : await moveBack(repo, start.committed, ground);
      record(common, start.merge, { type: "merge-end", outcome: "taken back", left }, ground.disk); // word-ok: as recorded
      await forgetTakenBack(repo, start.merge, start.exchange.bytes, left, ground.disk);
      return [...notes, ...left.map(leftOver)];
    }
    case "undoing": {
      const left = undo === null ? [] : revertExchange(undo.exchange, ground.disk);
      const failed = undo?.committed ? await forthAgain(repo, undo.committed, ground) : [];
      record(common, start.merge, { type: "undo-end", outcome: "taken back", left }, ground.disk); // word-ok: as recorded
      return [...failed, ...left.map(leftOver)];
    }
    case "taken back": // word-ok: as recorded
      await forgetTakenBack(repo, start.merge, start.exchange.bytes, story.left, ground.disk);
      return [];
    case "merged":
      // It died before it could record that.
      await noteMerged(common, start.tree);
      return [];
    case "undone":
      return [];
    default:
      return story.state satisfies never;
  }
}

async function forthAgain(repo: Repository, committed: Committed, ground: GitEnvironment): Promise<string[]> {
  const moved = await answered(() => moveForth(repo, committed, null, ground));
  return moved.type === "moved" ? [] : [moved.reason];
}

/** Removes all of it except what could not be restored. */
export async function forgetTakenBack(
  repo: Pick<Repository, "git" | "common">,
  merge: string,
  bytes: string,
  left: readonly LeftInPlace[],
  disk: Disk,
): Promise<void> {
  if (left.length > 0) {
    disk.drop(join(bytes, "stage"));
    return;
  }
  for (const which of ["before", "after"] as const) await deleteRef(repo, mergeRef(merge, which));
  disk.drop(bytes);
  forgetMerge(repo.common, merge);
}

/** Removes, after its end, names of files that are now in the checkout and would change with them. */
export function disposeOf({ start, state }: Pick<MergeStory, "start" | "state">, disk: Disk): void {
  const { bytes } = start.exchange;
  if (state === "elsewhere") return;
  if (state !== "undoing" && state !== "open") disk.drop(join(bytes, "stage"));
  if (state === "undone") disk.drop(join(bytes, "aside"));
}

function strayed(common: string, { top, merge }: MergeStory["start"]): string {
  return `A merge was cut off while it was written into ${top}, which is no longer a checkout of this repository: it was left as it is. Files that it had moved away are in ${mergeFolder(common, merge)}, and ${mergeRef(merge, "before")} has all files of before.`;
}

function repositoryOf(common: string, { start }: MergeStory, ground: GitEnvironment): Repository {
  const { top, gitDir } = start;
  return { top, common, gitDir, git: gitIn(top, ground.env), head: null, branch: null };
}

export function leftOver({ path, kept }: LeftInPlace): string {
  return `${path} was changed in the meantime: what is there stays, and the other version is ${kept}.`;
}

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
