import type * as z from "zod/mini";
import type { Worktree } from "../../mailbox/worktree.ts";
import { snapshotCheckout } from "../checkout-snapshot.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { OUR_REFS } from "../layout.ts";
import { isRefused, lastLine, refused } from "../repository.ts";
import type { RebaseAnswer, RebaseRequest, Refused } from "../requests.ts";
import { withTreeLock } from "../tree-lock.ts";
import { readRecord, writeRecord } from "../tree-record.ts";
import { snapshotToMerge } from "./agent-snapshot.ts";
import { beginFrom, forgetSides } from "./begin-from.ts";
import { checkoutOf } from "./candidate.ts";
import { type ConflictedFile, mergeTree, withLines } from "./merge-tree.ts";
import { withIndex } from "./own-index.ts";
import { forgetShown, showInTree } from "./settle.ts";
import { rememberMarked, unresolved } from "./unresolved.ts";

/**
 * The tree begins from what the checkout is now, and its files are what git makes of both, with marks where it could
 * not decide. What the agent had is in its last snapshot.
 */
export async function rebaseTree(
  { tree }: z.infer<typeof RebaseRequest>,
  ground: GitEnvironment,
): Promise<RebaseAnswer> {
  const repo = await checkoutOf(tree, ground);
  if (isRefused(repo)) return repo;
  const snapshot = await snapshotToMerge(repo, tree, false, ground);
  if (isRefused(snapshot)) return snapshot;
  const known = await readRecord(repo.common, tree.name);
  // Who was asked before died when it was done.
  if (known !== null && known.tree.base !== tree.base) {
    const conflicts = await unresolved(repo, known.tree, snapshot.commit);
    return { type: "rebased", tree: known.tree, conflicts };
  }
  return withTreeLock<RebaseAnswer>(repo.common, tree.name, ground, () =>
    rebaseLocked(repo, tree, snapshot.commit, ground),
  );
}

async function rebaseLocked(
  repo: Repository,
  tree: Worktree,
  snapshot: string,
  ground: GitEnvironment,
): Promise<RebaseAnswer> {
  // HEAD, too, so that who merges the branch by hand has the history of it.
  const parents = repo.head === null || repo.head === tree.head ? [tree.base] : [repo.head, tree.base];
  const checkout = await snapshotCheckout(repo, parents, ground);
  if (isRefused(checkout)) return checkout;
  const edits = await repo.git.run([
    "commit-tree",
    `${snapshot}^{tree}`,
    "-p",
    tree.base,
    "-m",
    `Edits of ${tree.name}`,
  ]);
  if (edits.code !== 0) return refused(`The edits could not be read (git says: ${lastLine(edits.err)}).`);
  const sides = `troupe/sides/${tree.name}`;
  const named = await nameSides(repo, tree, checkout.commit, edits.out.trim());
  if (named !== null) return named;
  try {
    const merged = await mergeTree(repo.git, `${sides}/checkout`, `${sides}/agent`);
    if (merged.type === "refused") return merged;
    const files = merged.type === "conflict" ? merged.conflicts : [];
    const root = await ownersChoice(repo, merged.tree, files, ground);
    if (isRefused(root)) return root;
    const conflicts = await withLines(repo.git, root.tree, files);
    const marked = conflicts.filter(({ lines }) => lines.length > 0).map(({ path }) => path);
    rememberMarked(repo.common, tree, { name: sides, paths: marked });
    const next: Worktree = { ...tree, base: checkout.commit, head: repo.head };
    const written = await showInTree(repo, tree, { snapshot, to: root.tree, next }, ground);
    if (written !== null) return written;
    // From here on these are its files: a death after it goes on from there, one before it puts back what was there.
    const known = await readRecord(repo.common, tree.name);
    if (known !== null) await writeRecord(repo.common, tree.name, { ...known, tree: next });
    const moved = await beginFrom(next, ground);
    if (moved !== null) return moved;
    forgetShown(repo.common, tree);
    return { type: "rebased", tree: next, conflicts };
  } finally {
    await forgetSides(repo, tree);
  }
}

/** The names stand in the marks, so they say whose lines they are. */
async function nameSides(
  repo: Repository,
  { name }: Worktree,
  ours: string,
  theirs: string,
): Promise<Refused | null> {
  const sides = [
    ["checkout", ours],
    ["agent", theirs],
  ] as const;
  for (const [side, commit] of sides) {
    const { code, err } = await repo.git.run(["update-ref", `${OUR_REFS}sides/${name}/${side}`, commit]);
    if (code !== 0)
      return refused(`The edits could not be prepared for a merge (git says: ${lastLine(err)}).`);
  }
  return null;
}

/** What has no lines to mark is as the agent had it, as it is the one that decides now. */
async function ownersChoice(
  repo: Repository,
  tree: string,
  files: readonly ConflictedFile[],
  ground: GitEnvironment,
): Promise<{ tree: string } | Refused> {
  const whole = files.filter(
    ({ kind, sides }) =>
      sides.size > 0 && (kind === "binary" || /delete/.test(kind) || !sides.has(2) || !sides.has(3)),
  );
  const plain = whole.filter(({ kind }) => !/rename|directory/.test(kind));
  if (plain.length === 0) return { tree };
  return withIndex(repo, ground, async (index) => {
    const commands = [["read-tree", tree]];
    for (const { path, sides } of plain) {
      const theirs = sides.get(3);
      commands.push(
        theirs
          ? ["update-index", "--add", "--cacheinfo", `${theirs.mode},${theirs.id},${path}`]
          : ["update-index", "--force-remove", "--", path],
      );
    }
    for (const args of commands) {
      const { code, err } = await repo.git.run(args, { index });
      if (code !== 0) return refused(`The agent's files could not be kept (git says: ${lastLine(err)}).`);
    }
    const written = await repo.git.run(["write-tree"], { index });
    return written.code === 0 ? { tree: written.out.trim() } : refused(lastLine(written.err));
  });
}
