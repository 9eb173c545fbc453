import { join, relative } from "node:path";
import type { ActorSpec } from "../../mailbox/messages.ts";
import type { Isolation } from "../../mailbox/worktree.ts";
import type { Enclosure, WriteScope } from "../../policy/confinement/write-scope.ts";
import { holds } from "../../policy/engine/path-candidates.ts";

/**
 * What an actor works in. `held`: the tree that its root is in, as the session holds it. Additional folders that lie in
 * the checkout are those of the tree.
 */
export function writeScope(
  {
    root,
    spec,
  }: {
    readonly root: string;
    readonly spec: Pick<ActorSpec, "additionalDirs" | "isolation" | "permissionMode">;
  },
  held: Enclosure | null,
): WriteScope {
  const { isolation, additionalDirs, permissionMode } = spec;
  const own = permissionMode === undefined ? {} : { atMost: permissionMode };
  const tree = enclosingWorktree(root, isolation, held);
  if (tree === null) return { root, additionalDirs, tree, ...own };
  const { path, checkout } = tree;
  const inTree = (folder: string) =>
    holds(checkout, folder) && !holds(path, folder) ? join(path, relative(checkout, folder)) : folder;
  return { root, additionalDirs: additionalDirs.map(inTree), tree, ...own };
}

/** Who is to have a tree is kept to it also while nobody holds that. */
export function enclosingWorktree(
  root: string,
  isolation: Isolation | undefined,
  held: Enclosure | null,
): Enclosure | null {
  const own = isolation !== undefined && holds(isolation.path, root) ? isolation : null;
  const from = held ?? own;
  return from === null ? null : { path: from.path, branch: from.branch, checkout: from.checkout };
}
