import { join } from "node:path";

/**
 * Where everything of ours lies in a repository. `common` is its common git folder. Nothing of it is in a place that
 * the person's own git commands write to: refs of ours are neither branches nor tags, files of ours have a folder of
 * their own.
 */

/** Trees stand here, below the checkout: builds find what lies above them, and the folder ignores itself (0023). */
export function treesFolder(checkout: string): string {
  return join(checkout, ".claude", "worktrees");
}

export function treePath(checkout: string, name: string): string {
  return join(treesFolder(checkout), name);
}

export function branchOf(name: string): string {
  return `worktree-${name}`;
}

export { TREE_NAME } from "../mailbox/worktree.ts";

export const OUR_REFS = "refs/troupe/";

/** The newest snapshot of a tree: a chain of commits, each with all that was there. Stays for ever. */
export function snapshotRef(name: string): string {
  return `${OUR_REFS}trees/${name}`;
}

/** The commit a tree began from. */
export function baseRef(name: string): string {
  return `${OUR_REFS}bases/${name}`;
}

/** Ignored files that the agent wrote by Write or Edit: a chain of commits of their own. */
export function ignoredRef(name: string): string {
  return `${OUR_REFS}ignored/${name}`;
}

/** What a merge found in the checkout, and what it made of it. */
export function mergeRef(merge: string, which: "before" | "after"): string {
  return `${OUR_REFS}merges/${merge}/${which}`;
}

export function ourFolder(common: string): string {
  return join(common, "troupe");
}

/** What is known of one tree: `owner.json`, the side indexes, its lock. */
export function treeRecordFolder(common: string, name: string): string {
  return join(ourFolder(common), "trees", name);
}

/** One merge: its journal, and the bytes it put aside. */
export function mergeFolder(common: string, merge: string): string {
  return join(ourFolder(common), "merges", merge);
}

/** Held while trees are made or removed, and while a checkout is written to, by whichever process does it. */
export function lockFile(common: string): string {
  return join(ourFolder(common), "lock");
}
