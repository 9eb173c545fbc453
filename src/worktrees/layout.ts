import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";

/**
 * Returns where Troupe's data is in a repository with this common git directory. The user's own git commands never
 * write there: Troupe's refs are neither branches nor tags, and its files have their own directory.
 */

/**
 * Returns the directory of the worktrees, below the checkout so that builds find what is above them; it ignores itself
 * (0023).
 */
export function treesFolder(checkout: string): string {
  return join(checkout, ".claude", "worktrees");
}

export function treePath(checkout: string, name: string): string {
  return join(treesFolder(checkout), name);
}

export function branchOf(name: string): string {
  return `worktree-${name}`;
}

/** `base`: the commit that it starts from; `head`: where the checkout was. */
export function newTree(checkout: string, name: string, base: string, head: string | null): Worktree {
  return { name, path: treePath(checkout, name), branch: branchOf(name), checkout, base, head };
}

/** Valid names of Troupe's directories and ref components. */
export const TREE_NAME = /^(?=.{1,64}$)[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

export const OUR_REFS = "refs/troupe/";

/** Returns the ref of a worktree's newest snapshot, a chain of complete commits that is never deleted. */
export function snapshotRef(name: string): string {
  return `${OUR_REFS}trees/${name}`;
}

/** Returns the ref of the commit that a worktree started from. */
export function baseRef(name: string): string {
  return `${OUR_REFS}bases/${name}`;
}

/** Returns the ref of the ignored files that Write or Edit wrote, a chain of its own. */
export function ignoredRef(name: string): string {
  return `${OUR_REFS}ignored/${name}`;
}

/** Returns the refs of both sides of a rebase, which appear in its marks. */
export function sideRefs(name: string): readonly string[] {
  return ["checkout", "agent"].map((side) => `${OUR_REFS}sides/${name}/${side}`);
}

/** Returns the ref of the checkout before or after a merge. */
export function mergeRef(merge: string, which: "before" | "after"): string {
  return `${OUR_REFS}merges/${merge}/${which}`;
}

export function ourFolder(common: string): string {
  return join(common, "troupe");
}

/** Returns the directory of a worktree's `owner.json`, side indexes and lock. */
export function treeRecordFolder(common: string, name: string): string {
  return join(ourFolder(common), "trees", name);
}

/** Returns the directory of a merge's journal and of the bytes it moved. */
export function mergeFolder(common: string, merge: string): string {
  return join(ourFolder(common), "merges", merge);
}
