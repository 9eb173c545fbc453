import { NESTED, rawChanges } from "../changes.ts";
import type { CheckoutSnapshot } from "../checkout-snapshot.ts";
import { type Git, oddPath } from "../git.ts";
import { refuseRequest } from "../refusal.ts";

/** What git has at a path. */
export interface Blob {
  readonly mode: string;
  readonly id: string;
}

/** One file of the checkout to change. */
export interface PlannedChange {
  /** Relative to the top, with `/`. */
  readonly path: string;
  /** Null if there is no file on disk. */
  readonly before: Blob | null;
  readonly after: Blob | null;
}

export interface MergePlan {
  readonly changes: readonly PlannedChange[];
  readonly notes: readonly string[];
}

/** Returns the changes from the checkout to the merged tree, deletions first. Throws if a path must never be written. */
export async function planOf(
  git: Git,
  { tree, absent }: CheckoutSnapshot,
  merged: string,
): Promise<MergePlan> {
  const changes: PlannedChange[] = [];
  const notes: string[] = [];
  for (const { path, oldMode, oldId, newMode, newId } of await rawChanges(git.run, tree, merged)) {
    const before = blob(oldMode, oldId);
    const after = blob(newMode, newId);
    if (before === null && after === null) continue;
    const bad = whyNever(path);
    if (bad !== null) refuseRequest(bad);
    const isAbsent = absent.has(path);
    if (oldMode === NESTED || newMode === NESTED)
      notes.push(`${path} is a repository of its own and was not touched.`);
    else if (isAbsent && after === null)
      notes.push(`${path} is outside of the sparse checkout, so its deletion was not carried out.`);
    else changes.push({ path, before: isAbsent ? null : before, after });
  }
  const deletions = changes.filter(({ after }) => after === null);
  const others = changes.filter(({ after }) => after !== null);
  return { changes: [...deletions, ...others], notes };
}

const NOTHING = ["000000", "040000"];

function blob(mode: string, id: string): Blob | null {
  return NOTHING.includes(mode) ? null : { mode, id };
}

/** Characters that some disks ignore in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Returns a sentence if no merge may ever write there. */
function whyNever(path: string): string | null {
  if (oddPath(path))
    return `The name of ${path} is not UTF-8, so it cannot be merged; rename it, or take it from the branch.`;
  const names = path.split("/").map((name) => name.replace(UNSEEN, "").toLowerCase());
  if (names.some((name) => /^(\.git|git~\d+)[. ]*(:.*)?$/.test(name) || name === "." || name === ".."))
    return `${path} is a place of git's own, and no edit may go there; the edits stay on their branch.`;
  if (names[0] === ".claude" && names[1] === "worktrees")
    return `${path} is where worktrees stand, and no edit may go there; the edits stay on their branch.`;
  return null;
}
