import type { Worktree } from "../../mailbox/worktree.ts";
import { deleteRef } from "../delete-ref.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { baseRef, OUR_REFS } from "../layout.ts";
import { granted, outputOf } from "../refusal.ts";
import { gitOn, locateWorktree } from "../worktree-location.ts";

/** Branch, HEAD and index of the tree, so that `git diff` there shows the edits and nothing else. Also a second time. */
export async function beginFrom(tree: Worktree, ground: GitEnvironment): Promise<void> {
  const place = granted(locateWorktree(tree));
  const git = gitOn(tree, place, ground);
  const branch = `refs/heads/${tree.branch}`;
  const commands = [
    ["update-ref", baseRef(tree.name), tree.base],
    ["update-ref", branch, tree.base],
    ["symbolic-ref", "HEAD", branch],
    ["read-tree", "--reset", tree.base],
  ];
  for (const args of commands) outputOf(await git(args), `The worktree ${tree.name} could not be rebased`);
  // Files that differ are what it is about.
  await git(["update-index", "-q", "--refresh"]);
}

/** The names of both sides of a rebase, which stand in its marks. */
export async function forgetSides(repo: Repository, { name }: Worktree): Promise<void> {
  for (const side of ["checkout", "agent"]) await deleteRef(repo, `${OUR_REFS}sides/${name}/${side}`);
}
