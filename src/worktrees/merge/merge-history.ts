import type { Repository } from "../environment.ts";
import { mergeRef } from "../layout.ts";
import type { TreeRecord } from "../tree-record.ts";
import { mergeStateOf, mergesOf } from "./journal.ts";

/** The edits of a worktree that a merge brought into the checkout and that were not undone. */
export interface MergeHistory {
  /** A commit of the merged edits: other edits of the worktree are newer, or were left out. */
  readonly edits: string;
  readonly root: string;
}

/** Returns null if none of the edits is known to be merged. */
export async function mergeHistory(repo: Repository, { tree, at }: TreeRecord): Promise<MergeHistory | null> {
  const merged = mergesOf(repo.common)
    .reverse()
    .filter((merge) => {
      const story = mergeStateOf(repo.common, merge);
      // A reused name belongs to another worktree.
      return story?.state === "merged" && story.start.tree === tree.name && story.start.at >= at;
    });
  let found: MergeHistory | null = null;
  let before = tree.base;
  for (const merge of merged) {
    const after = mergeRef(merge, "after");
    const asked = [`${after}^2`, `${after}^2^`, `${after}^2^{tree}`];
    const { out } = await repo.git.run(["rev-parse", "--revs-only", ...asked]);
    const [edits, begun, root] = out.split("\n");
    // A merge that started from one undone since does not describe all edits.
    if (!edits || !root || begun !== before) continue;
    found = { edits, root };
    before = edits;
  }
  return found;
}
