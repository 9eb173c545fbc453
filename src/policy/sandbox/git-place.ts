import { basename, join } from "node:path";
import { listNames } from "../../lib/on-disk.ts";
import { type Enclosure, sharedGit } from "../confinement/write-scope.ts";
import { realOf } from "../engine/path-candidates.ts";
import { treeOf } from "../trust/git-repository.ts";
import { MOST_HELD } from "./find-protected.ts";
import type { SandboxPlace } from "./sandbox.ts";

/**
 * Returns what a command in a worktree may write of the repository: only what its own commits need. git replaces a ref
 * by renaming a file into its directory, so the directories of branches and of their logs are writable, and the others'
 * entries in them are each protected by a mount. Packs, other refs, configuration, hooks and the other worktrees'
 * indexes are not writable, so a fetch that brings a pack fails.
 */
export function gitPlaceOf(tree: Enclosure): NonNullable<SandboxPlace["git"]> {
  const { path, branch } = tree;
  const common = sharedGit(tree);
  if (common === null) return { writable: [], held: [] };
  const own = ownFolder(common, path);
  const objects = join(common, "objects");
  const branches = ["refs/heads", "logs/refs/heads"].map((name) => join(common, name));
  const others = branches.flatMap((folder) =>
    listNames(folder).flatMap((name) => (isOwn(name, branch) ? [] : [join(folder, name)])),
  );
  return {
    // With more branches than can be protected, none is writable: a commit fails then, and no branch is at risk.
    writable: [own, objects, ...(others.length > MOST_HELD ? [] : branches)],
    held: [
      ...["commondir", "gitdir", "config.worktree", "locked"].map((name) => join(own, name)),
      ...["pack", "info"].map((name) => join(objects, name)),
      ...(others.length > MOST_HELD ? [] : others),
    ],
  };
}

/** Also while git writes it. */
function isOwn(name: string, branch: string): boolean {
  return name === branch || name === `${branch}.lock`;
}

/** Reads git's own records, not the worktree's: the confined command can write those. */
function ownFolder(common: string, path: string): string {
  const folder = join(common, "worktrees");
  const usual = join(folder, basename(path));
  const others = listNames(folder).map((name) => join(folder, name));
  return [usual, ...others].find((one) => isOf(one, path)) ?? usual;
}

function isOf(folder: string, path: string): boolean {
  const tree = treeOf(folder);
  return tree !== null && realOf(tree) === realOf(path);
}
