import { countsBetween, PLAIN_DIFF } from "./changes.ts";
import { isTreeDeferred } from "./deferred.ts";
import type { GitEnvironment } from "./environment.ts";
import { emptyTree, gitIn } from "./git.ts";
import { knownTree } from "./known-trees.ts";
import { snapshotRef } from "./layout.ts";
import type { GitRequest, Hunk, SuccessOf } from "./protocol.ts";
import { outputOf, refuseByGit, refuseRequest } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";
import { gitOn, locateWorktree, type TreeGit } from "./worktree-location.ts";

/** Diffs the base against the newest snapshot; ignored files written by name come last, as new files. */
export async function diffTree(
  { folder, name }: GitRequest<"diff">,
  ground: GitEnvironment,
): Promise<SuccessOf<"diff">> {
  const repo = await repositoryAt(folder, ground);
  const { base, snapshot, ignored } = await knownTree(repo, name);
  const pairs: [string, string][] = [];
  if (base !== null && snapshot !== null) pairs.push([base, snapshot]);
  if (ignored !== null) pairs.push([emptyTree(ignored), ignored]);
  const counts = { files: 0, insertions: 0, deletions: 0 };
  const notRead = `The edits of ${name} could not be read`;
  let text = "";
  for (const [from, to] of pairs) {
    const shown = await repo.git.run([...PLAIN_DIFF, from, to]);
    const some = await countsBetween((args) => repo.git.run(args), from, to);
    text += outputOf(shown, notRead);
    if (some === null) return refuseByGit(notRead);
    counts.files += some.files;
    counts.insertions += some.insertions;
    counts.deletions += some.deletions;
  }
  return { type: "diff", text, counts };
}

/** Returns the lines of a file that the newest snapshot of a worktree changes; every call that may write is followed by one. */
export async function changedLinesOf(
  { tree, path }: GitRequest<"changedLines">,
  ground: GitEnvironment,
): Promise<SuccessOf<"changedLines">> {
  const isDeferred = await isTreeDeferred(tree, ground);
  const git = isDeferred ? gitIn(tree.checkout, ground.env).run : gitOn(tree, locateWorktree(tree), ground);
  const [found, diff] = await Promise.all([
    git(["rev-parse", "-q", "--verify", `${tree.base}:${path}`]),
    diffOf(git, tree.base, snapshotRef(tree.name), path),
  ]);
  return { type: "lines", blob: found.code === 0 ? found.out.trim() : null, hunks: hunksOf(diff) };
}

async function diffOf(git: TreeGit, base: string, ref: string, path: string): Promise<string> {
  const diff = await git([...PLAIN_DIFF, "-U0", base, ref, "--", `:(top,literal)${path}`]);
  if (diff.code === 0) return diff.out;
  const snapshot = await git(["rev-parse", "-q", "--verify", ref]);
  // Without a snapshot nothing was written yet.
  return snapshot.code === 0 ? refuseRequest(`The changes of ${path} could not be read.`) : "";
}

/** Parses a diff of one file without context. Returns null if the file is binary. */
export function hunksOf(diff: string): Hunk[] | null {
  if (/^Binary files .* differ$/m.test(diff) || /^GIT binary patch$/m.test(diff)) return null;
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/gm)].map(([, line, count = "1"]) => {
    const lines = Number(count);
    // Git names the first removed line, or the line before if none was removed.
    const start = lines === 0 ? Number(line) : Number(line) - 1;
    return { start, end: start + lines };
  });
}
