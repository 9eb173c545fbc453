import { join } from "node:path";
import type { Worktree } from "../../mailbox/worktree.ts";
import { deleteRef } from "../delete-ref.ts";
import type { GitEnvironment, LocatedRepository } from "../environment.ts";
import { dropLocksOfKilled } from "../killed-git.ts";
import { baseRef, sideRefs } from "../layout.ts";
import { idsOf } from "../ref-ids.ts";
import { outputOf } from "../refusal.ts";
import { gitOn, locateWorktree } from "../worktree-location.ts";

/** Sets branch, HEAD and index of the worktree so that `git diff` there shows exactly the edits. Repeatable. */
export async function beginFrom(tree: Worktree, ground: GitEnvironment): Promise<void> {
  const place = locateWorktree(tree);
  const git = gitOn(tree, place, ground);
  const branch = `refs/heads/${tree.branch}`;
  // A git that was killed there would stop all others.
  const locks = ["index.lock", "HEAD.lock"].map((name) => join(place.gitDir, name));
  await dropLocksOfKilled(locks, 1, Number.POSITIVE_INFINITY);
  const commands = [
    ["update-ref", baseRef(tree.name), tree.base],
    ["update-ref", branch, tree.base],
    ["symbolic-ref", "HEAD", branch],
    ["read-tree", "--reset", tree.base],
  ];
  for (const args of commands) outputOf(await git(args), `The worktree ${tree.name} could not be rebased`);
  // Fails if files differ, as they should.
  await git(["update-index", "-q", "--refresh"]);
}

/** Deletes the names of both sides of a rebase, which appear in its marks. */
export async function forgetSides(repo: LocatedRepository, { name }: Worktree): Promise<void> {
  const sides = sideRefs(name);
  const ids = await idsOf((args) => repo.git.run(args), sides);
  for (const side of sides) if (ids.has(side)) await deleteRef(repo, side);
}
