import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment } from "./environment.ts";
import { isConnected } from "./gc-guard.ts";
import { parts } from "./git.ts";
import { submoduleFiles } from "./ignored-chain.ts";
import { snapshotRef } from "./layout.ts";
import { lastLine, outputOf, refuseRequest } from "./refusal.ts";
import { copyIndex, openSideIndex, sideIndexFile } from "./side-index.ts";
import { allOf } from "./tree-add.ts";
import type { TreeGit, TreePlace } from "./worktree-location.ts";

/**
 * Returns the paths of a worktree whose content none of Troupe's refs hold, after a snapshot of everything and under
 * the worktree's lock. Refuses what it cannot check: unchecked is not clean (C10).
 */
export async function unsavedIn(
  git: TreeGit,
  place: TreePlace,
  tree: Worktree,
  linked: readonly string[],
  snapshot: string,
  ground: GitEnvironment,
): Promise<string[]> {
  // A copy: the refresh would make the next snapshot trust what only this check has seen.
  const index = openSideIndex(place, tree, "index", ground);
  try {
    if (!index.begun) refuseRequest("It has no snapshot.");
    const ask = (args: readonly string[]) => git([...args, "--", ...allOf(linked)], { index: index.file });
    await git(["update-index", "-q", "--refresh"], { index: index.file });
    const changed = await ask(["diff-files", "--name-only", "-z", "--ignore-submodules=none"]);
    const others = await ask(["ls-files", "-z", "-o", "--exclude-standard"]);
    for (const { code, err } of [changed, others])
      if (code !== 0 || err !== "") refuseRequest(`${NOT_WHOLE} (git says: ${lastLine(err)}).`);
    if (!(await isConnected(git, snapshot, tree.base)))
      refuseRequest("Git has lost parts of its snapshots; see git fsck.");
    const beneath = await unsavedBeneath(git, place, tree);
    return [...new Set([...parts(changed.out), ...parts(others.out), ...beneath])];
  } finally {
    index.drop();
  }
}

/** Git itself finds nothing in submodule directories. */
async function unsavedBeneath(git: TreeGit, place: TreePlace, tree: Worktree): Promise<string[]> {
  const there = await submoduleFiles(git, sideIndexFile(place, tree, "index"), tree);
  if (there === null) return refuseRequest("Its submodules could not be looked at.");
  if (there.length === 0) return [];
  const kept = await git(["ls-files", "-z", "-o", "-m"], { index: sideIndexFile(place, tree, "ignored") });
  const unkept = new Set(parts(outputOf(kept, NOT_WHOLE)));
  return there.filter((path) => unkept.has(path));
}

const NOT_WHOLE = "It could not be looked at whole";

/**
 * Makes what would be deleted with a worktree reachable from its snapshots: staged content that no commit has, and refs
 * of this worktree alone.
 */
export async function keepUnsaved(
  git: TreeGit,
  place: TreePlace,
  tree: Worktree,
  snapshot: string,
  ground: GitEnvironment,
): Promise<void> {
  const staged = await stagedCommit(git, place, tree, snapshot, ground);
  const own = ["refs/worktree", "refs/bisect", "refs/rewritten"];
  const listed = await git(["for-each-ref", "--format=%(objecttype) %(objectname)", ...own]);
  const refs = [...outputOf(listed, "Its refs could not be read").matchAll(/^commit (\S+)$/gm)].map(
    ([, id = ""]) => id,
  );
  const tips = [...new Set([...staged, ...refs])];
  if (tips.length === 0) return;
  const of = [snapshot, ...tips].flatMap((tip) => ["-p", tip]);
  const made = await git(["commit-tree", `${snapshot}^{tree}`, ...of, "-m", `What else ${tree.name} had`]);
  const id = outputOf(made, NOT_HELD).trim();
  const old = snapshot === tree.base ? "" : snapshot;
  outputOf(await git(["update-ref", snapshotRef(tree.name), id, old]), NOT_HELD);
  if (!(await isConnected(git, id, tree.base)))
    refuseRequest("Git removed objects in the meantime; try again.");
}

const NOT_HELD = "What else it has could not be kept";

/** An index in the middle of a conflict has no tree: its sides are in commits. */
async function stagedCommit(
  git: TreeGit,
  place: TreePlace,
  tree: Worktree,
  snapshot: string,
  ground: GitEnvironment,
): Promise<string[]> {
  const { file: index, drop } = openSideIndex(place, tree, "staged", ground);
  try {
    if (!copyIndex(join(place.gitDir, "index"), index)) return [];
    const made = await git(["write-tree"], { index });
    if (made.code !== 0) return [];
    const root = made.out.trim();
    const known = await git([
      "rev-parse",
      "--revs-only",
      `${snapshot}^{tree}`,
      `${tree.base}^{tree}`,
      "HEAD^{tree}",
    ]);
    if (known.out.split("\n").includes(root)) return [];
    const commit = await git(["commit-tree", root, "-p", tree.base, "-m", `What was staged in ${tree.name}`]);
    return commit.code === 0 ? [commit.out.trim()] : [];
  } finally {
    drop();
  }
}
