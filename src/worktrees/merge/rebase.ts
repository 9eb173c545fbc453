import type { Worktree } from "../../mailbox/worktree.ts";
import { snapshotCheckout } from "../checkout-snapshot.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { OUR_REFS } from "../layout.ts";
import { withTreeLock } from "../lock.ts";
import type { GitRequest, SuccessOf } from "../protocol.ts";
import { outputOf, retryAfterGc } from "../refusal.ts";
import { readRecord, writeRecord } from "../tree-record.ts";
import { checkoutOf, snapshotToMerge } from "./candidate.ts";
import { treeWith } from "./index-entries.ts";
import { type ConflictedFile, mergeTree, rememberMarked, unresolved, withLines } from "./merge-tree.ts";
import { beginFrom, forgetShown, forgetSides, showInTree } from "./settle.ts";

/**
 * Moves the worktree's base to the current checkout and merges its files, with conflict marks. The last snapshot has
 * the agent's own files.
 */
export async function rebaseTree({ tree }: GitRequest<"rebase">, ground: GitEnvironment): Promise<Rebased> {
  const repo = await checkoutOf(tree, ground);
  const snapshot = await snapshotToMerge(repo, tree, false, ground);
  const known = await readRecord(repo.common, tree.name);
  // An earlier request died after it was done.
  if (known !== null && known.tree.base !== tree.base) {
    const conflicts = await unresolved(repo, known.tree, snapshot);
    return { type: "rebased", tree: known.tree, conflicts };
  }
  return withTreeLock<Rebased>(repo.common, tree.name, ground, () =>
    rebaseLocked(repo, tree, snapshot, ground),
  );
}

type Rebased = SuccessOf<"rebase">;

async function rebaseLocked(
  repo: Repository,
  tree: Worktree,
  snapshot: string,
  ground: GitEnvironment,
): Promise<Rebased> {
  const travels = (await readRecord(repo.common, tree.name))?.travels ?? false;
  // HEAD as a parent, too, so that a manual merge of the branch has its history.
  const parents = repo.head === null || repo.head === tree.head ? [tree.base] : [repo.head, tree.base];
  const checkout = await retryAfterGc(repo.common, ground, () =>
    snapshotCheckout(repo, parents, ground, { travels }),
  );
  const words = `Edits of ${tree.name}`;
  const edits = await repo.git.run(["commit-tree", `${snapshot}^{tree}`, "-p", tree.base, "-m", words]);
  const sides = `troupe/sides/${tree.name}`;
  await nameSides(repo, tree, checkout.commit, outputOf(edits, "The edits could not be read").trim());
  try {
    const merged = await mergeTree(repo.git, `${sides}/checkout`, `${sides}/agent`);
    const files = merged.type === "conflict" ? merged.conflicts : [];
    const root = await ownersChoice(repo, merged.tree, files, ground);
    const conflicts = await withLines(repo.git, root, files);
    const marked = conflicts.filter(({ lines }) => lines.length > 0).map(({ path }) => path);
    rememberMarked(repo.common, tree, { name: sides, paths: marked });
    const next: Worktree = { ...tree, base: checkout.commit, head: repo.head };
    await showInTree(repo, tree, { snapshot, to: root, next }, ground);
    // From here on these are its files: after a crash the next call continues from them; a crash before this restores
    // the old ones.
    const known = await readRecord(repo.common, tree.name);
    if (known !== null) await writeRecord(repo.common, tree.name, { ...known, tree: next });
    await beginFrom(next, ground);
    forgetShown(repo.common, tree);
    return { type: "rebased", tree: next, conflicts };
  } finally {
    await forgetSides(repo, tree);
  }
}

/** The names appear in the marks, so they say whose lines these are. */
async function nameSides(repo: Repository, { name }: Worktree, ours: string, theirs: string): Promise<void> {
  const sides = [
    ["checkout", ours],
    ["agent", theirs],
  ] as const;
  for (const [side, commit] of sides)
    outputOf(
      await repo.git.run(["update-ref", `${OUR_REFS}sides/${name}/${side}`, commit]),
      "The edits could not be prepared for a merge",
    );
}

/** A file without lines to mark keeps the agent's version, as the agent decides now. */
async function ownersChoice(
  repo: Repository,
  tree: string,
  files: readonly ConflictedFile[],
  ground: GitEnvironment,
): Promise<string> {
  const whole = files.filter(
    ({ kind, sides }) =>
      sides.size > 0 && (kind === "binary" || /delete/.test(kind) || !sides.has(2) || !sides.has(3)),
  );
  const plain = whole.filter(({ kind }) => !/rename|directory/.test(kind));
  if (plain.length === 0) return tree;
  const theirs = plain.map(({ path, sides }) => ({ path, to: sides.get(3) ?? null }));
  return treeWith(repo, tree, theirs, "The agent's files could not be kept", ground);
}
