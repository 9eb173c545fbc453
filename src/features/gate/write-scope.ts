import { join, relative } from "node:path";
import type { ActorSpec } from "../../mailbox/messages.ts";
import type { Isolation } from "../../mailbox/worktree.ts";
import type { AddedDirs } from "../../policy/confinement/added-dirs.ts";
import type { Enclosure, WriteScope } from "../../policy/confinement/write-scope.ts";
import { holds } from "../../policy/engine/path-candidates.ts";

/** What the scope of an actor follows from. */
export interface ScopedActor {
  readonly root: string;
  readonly spec: Pick<ActorSpec, "isolation" | "permissionMode"> & {
    readonly additionalDirs: readonly string[];
  };
}

/**
 * Returns an actor's write scope. `held`: the worktree of its root, as the session holds it. `added`: the session's
 * directories as they are now. Additional directories inside the checkout become those of the worktree.
 */
export function writeScope(
  { root, spec }: ScopedActor,
  held: Enclosure | null,
  added: AddedDirs,
): WriteScope {
  const { isolation, permissionMode } = spec;
  const additionalDirs = added.of(spec.additionalDirs);
  const own = permissionMode === undefined ? {} : { atMost: permissionMode };
  const tree = enclosingWorktree(root, isolation, held);
  if (tree === null) return { root, additionalDirs, tree, ...own };
  const { path, checkout } = tree;
  const inTree = (folder: string) =>
    holds(checkout, folder) && !holds(path, folder) ? join(path, relative(checkout, folder)) : folder;
  return { root, additionalDirs: additionalDirs.map(inTree), tree, ...own };
}

/** Returns an actor's own worktree, even while it is not held, and also if it is on a runner. */
export function enclosingWorktree(
  root: string,
  isolation: Isolation | undefined,
  held: Enclosure | null,
): Enclosure | null {
  const own = isolation && { ...isolation, path: isolation.away ?? isolation.path };
  const from = held ?? (own !== undefined && holds(own.path, root) ? own : null);
  if (from === null) return null;
  const { path, branch, checkout } = from;
  const common = held?.common;
  return { path, branch, checkout, ...(common === undefined ? {} : { common }) };
}
