import type { Repository } from "../environment.ts";
import { mergeRef } from "../layout.ts";
import type { TreeRecord } from "../tree-record.ts";
import { mergeStateOf, mergesOf } from "./journal.ts";

/** What of a tree is in its checkout by a merge that nobody has taken back. */
export interface MergeHistory {
  /** A commit of the edits that came in: what a tree has beside it is newer, or was held back. */
  readonly edits: string;
  readonly root: string;
}

/** Null: nothing of it, as far as it is known. */
export async function mergeHistory(repo: Repository, { tree, at }: TreeRecord): Promise<MergeHistory | null> {
  const merged = mergesOf(repo.common)
    .reverse()
    .filter((merge) => {
      const story = mergeStateOf(repo.common, merge);
      // A name that was given again is of another tree.
      return story?.state === "merged" && story.start.tree === tree.name && story.start.at >= at;
    });
  let found: MergeHistory | null = null;
  let before = tree.base;
  for (const merge of merged) {
    const after = mergeRef(merge, "after");
    const asked = [`${after}^2`, `${after}^2^`, `${after}^2^{tree}`];
    const { out } = await repo.git.run(["rev-parse", "--revs-only", ...asked]);
    const [edits, begun, root] = out.split("\n");
    // One that went on from what was taken back since says nothing of the whole.
    if (!edits || !root || begun !== before) continue;
    found = { edits, root };
    before = edits;
  }
  return found;
}
