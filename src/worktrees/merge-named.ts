import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { knownTree } from "./known-trees.ts";
import { mergeRef } from "./layout.ts";
import { withLock } from "./lock.ts";
import { applyMerge } from "./merge/apply.ts";
import { mergeStateOf, mergesOf } from "./merge/merge-journal.ts";
import { prepareMerge } from "./merge/prepare.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { answered, refuseRequest } from "./refusal.ts";
import { removeTree } from "./remove.ts";
import { repositoryAt } from "./repository.ts";
import { restoreUnderLock } from "./restore.ts";
import { noteMerged, readRecord, type TreeRecord } from "./tree-record.ts";

type Answer = SuccessOf<"mergeNamed">;

/**
 * Merges the edits of an idle worktree into its checkout, as the user asked. It is no longer known which deletions were
 * meant, so the user must confirm all of them.
 */
export async function mergeNamedTree(
  { folder, name, deletions }: GitRequest<"mergeNamed">,
  ground: GitEnvironment,
): Promise<Answer> {
  const known = await standing(folder, name, ground);
  if ("type" in known) return known;
  const { common, record, since } = known;
  const { owner } = record;
  const tree = since === null ? record.tree : { ...record.tree, base: since };
  const prepared = await prepareMerge({ tree, deleted: [], forCheck: false }, ground);
  const nothing = async (notes: readonly string[]): Promise<Answer> => ({
    type: since === null ? "empty" : "already",
    notes: [...notes, ...(await removed(tree, ground))],
  });
  switch (prepared.type) {
    case "empty":
      if (since !== null) await noteMerged(common, name);
      return nothing(prepared.notes);
    case "conflict":
      return { ...prepared, path: tree.path, branch: tree.branch };
    case "clean": {
      const { strange } = prepared;
      if (prepared.paths.length === 0) {
        // The checkout has them already; restoring the worktree had cleared this.
        await noteMerged(common, name);
        return nothing(prepared.notes);
      }
      const isAllHeld = deletions === "hold" && strange.length === prepared.paths.length;
      if (strange.length > 0 && (deletions === "ask" || isAllHeld))
        return { type: "deletes", paths: strange };
      const held = deletions === "hold" ? strange : [];
      const applied = await applyMerge(
        { tree, expects: null, hold: held, commit: null, owner, title: name },
        ground,
      );
      if (applied.type === "conflict") return { ...applied, path: tree.path, branch: tree.branch };
      if (applied.type === "moved")
        return refuseRequest(`${tree.checkout} was changed in the meantime; try again.`);
      const notes = [...applied.notes, ...(await removed(tree, ground))];
      const { files, insertions, deletions: minus, merge } = applied;
      const counts = { files, insertions, deletions: minus };
      const paths = prepared.paths.filter((path) => !held.includes(path));
      return { type: "merged", ...counts, merge, checkout: tree.checkout, paths, held, notes };
    }
    default:
      return prepared satisfies never;
  }
}

interface Standing {
  /** The repository's common directory. */
  readonly common: string;
  readonly record: TreeRecord;
  /** Commit of the edits already merged: only newer ones are merged. Null merges all. */
  readonly since: string | null;
}

type Already = Extract<Answer, { readonly type: "already" }>;

/** Returns the worktree, restored if it was removed and has unmerged edits. */
async function standing(folder: string, name: string, ground: GitEnvironment): Promise<Standing | Already> {
  const repo = await repositoryAt(folder, ground);
  return withLock<Standing | Already>(repo.common, ground, async () => {
    const known = await knownTree(repo, name);
    const { record, stands, snapshot } = known;
    if (record === null)
      return refuseRequest(`The base of ${name} is no longer known; troupe worktrees diff shows its edits.`);
    const { pid } = record.owner.process;
    if ((stands || record.deferred !== undefined) && ground.isAlive(record.owner.process))
      refuseRequest(
        `The session of ${name} is still running (pid ${pid}), and brings its edits back itself.`,
      );
    const before = await mergeHistory(repo, record);
    if (!stands) {
      if (before !== null && snapshot !== null && (await isRootOf(repo, before.root, snapshot)))
        return { type: "already", notes: [] };
      await restoreUnderLock(repo, name, ground);
    }
    const now = (await readRecord(repo.common, name)) ?? record;
    return { common: repo.common, record: now, since: before?.edits ?? null };
  });
}

async function isRootOf(repo: Repository, root: string, commit: string): Promise<boolean> {
  const { out } = await repo.git.run(["rev-parse", "--revs-only", `${commit}^{tree}`]);
  return out.trim() === root;
}

/** Everything is merged; returns why the worktree still exists, if it does. */
async function removed(tree: Worktree, ground: GitEnvironment): Promise<string[]> {
  // A cancel must not hide that the edits are in the checkout.
  const gone = await answered(() => removeTree({ tree }, { ...ground, signal: undefined }));
  return gone.type === "done" ? [] : [gone.reason];
}

/** The edits of a worktree that a merge brought into the checkout and that were not undone. */
export interface MergeHistory {
  /** A commit of the merged edits: other edits of the worktree are newer, or were left out. */
  readonly edits: string;
  readonly root: string;
}

/** Returns null if none of the edits is known to be merged. */
export async function mergeHistory(repo: Repository, { tree, at }: TreeRecord): Promise<MergeHistory | null> {
  const merged = mergesOf(repo.common)
    .reverse()
    .filter((merge) => {
      const story = mergeStateOf(repo.common, merge);
      // A reused name belongs to another worktree.
      return story?.state === "merged" && story.start.tree === tree.name && story.start.at >= at;
    });
  let found: MergeHistory | null = null;
  let before = tree.base;
  for (const merge of merged) {
    const after = mergeRef(merge, "after");
    const asked = [`${after}^2`, `${after}^2^`, `${after}^2^{tree}`];
    const { out } = await repo.git.run(["rev-parse", "--revs-only", ...asked]);
    const [edits, begun, root] = out.split("\n");
    // A merge that started from one undone since does not describe all edits.
    if (!edits || !root || begun !== before) continue;
    found = { edits, root };
    before = edits;
  }
  return found;
}
