import { constants, copyFileSync, existsSync, renameSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import { limitConcurrency } from "../lib/queues.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { countsBetween } from "./changes.ts";
import { claimTree } from "./claim.ts";
import { createTree } from "./create.ts";
import { deferTree, isTreeDeferred, makeDeferred } from "./deferred.ts";
import { changedLinesOf, diffTree } from "./diff.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { Histories } from "./ever-tracked.ts";
import { inspect, type KnownTree, knownTrees } from "./known-trees.ts";
import { branchOf } from "./layout.ts";
import { withTreeLock } from "./lock.ts";
import { applyMerge } from "./merge/apply.ts";
import { mergeStateOf, mergesOf } from "./merge/merge-journal.ts";
import { prepareMerge } from "./merge/prepare.ts";
import { rebaseTree } from "./merge/rebase.ts";
import { settleTree } from "./merge/settle.ts";
import { undoMerge } from "./merge/undo.ts";
import { mergeNamedTree } from "./merge-named.ts";
import type { GitRequest, OperationName, SuccessOf, TreeListing } from "./protocol.ts";
import { outputOf, refuseByGit } from "./refusal.ts";
import { removeNamedTree, removeTree } from "./remove.ts";
import { repositoryAt } from "./repository.ts";
import { restoreTree } from "./restore.ts";
import { sideIndexFile } from "./side-index.ts";
import { sweep } from "./sweep.ts";
import { exportTree } from "./travel/export.ts";
import { importEdits } from "./travel/import.ts";
import { dropRemoteRefs } from "./travel/remote.ts";
import { allOf } from "./tree-add.ts";
import { readRecord, type TreeRecord, writeRecord } from "./tree-record.ts";
import { snapshotLocked, snapshotTree } from "./tree-snapshot.ts";
import { gitOn, locateWorktree, type TreeGit, type TreePlace } from "./worktree-location.ts";

/**
 * Commits the edits on the worktree's branch, on its base, and leaves the worktree clean. A repeated call changes
 * nothing.
 */
export async function keepTree(request: GitRequest<"keep">, ground: GitEnvironment): Promise<Kept> {
  if (await isTreeDeferred(request.tree, ground)) return { type: "empty" };
  const place = locateWorktree(request.tree);
  return withTreeLock(place.common, request.tree.name, ground, () => keep(request, place, ground));
}

type Kept = SuccessOf<"keep">;

async function keep(
  { tree, message }: GitRequest<"keep">,
  place: TreePlace,
  ground: GitEnvironment,
): Promise<Kept> {
  const taken = await snapshotLocked({ tree, files: null }, place, ground);
  const git = gitOn(tree, place, ground);
  const counts =
    (await countsBetween(git, tree.base, taken.commit)) ??
    refuseByGit(`The edits in ${tree.path} could not be read`);
  if (counts.files === 0) {
    await note(place, tree, "empty");
    return { type: "empty" };
  }
  const commit = await findEqualCommit(git, tree, taken.commit, message);
  await endOperations(git, place);
  const branch = `refs/heads/${tree.branch}`;
  for (const args of [
    ["update-ref", branch, commit],
    ["symbolic-ref", "HEAD", branch],
  ])
    outputOf(await git(args), `The branch ${tree.branch} could not be moved`);
  const notes = refreshIndex(place, tree)
    ? []
    : [`The index of ${tree.path} is locked and was left as it is.`];
  await note(place, tree, "kept");
  return { type: "kept", commit, ...counts, notes: [...taken.notes, ...notes] };
}

/** Returns the existing commit if it has the same content. */
async function findEqualCommit(
  git: TreeGit,
  tree: Worktree,
  snapshot: string,
  message: string,
): Promise<string> {
  const branch = `refs/heads/${tree.branch}`;
  const asked = [`${snapshot}^{tree}`, `${tree.base}^{commit}`, `${branch}^{tree}`, `${branch}^@`];
  const { out } = await git(["rev-parse", "--revs-only", ...asked]);
  const [root = "", base, was, ...parents] = out.split("\n").filter((line) => line !== "");
  if (was === root && parents.length === 1 && parents[0] === base)
    return (await git(["rev-parse", branch])).out.trim();
  const made = await git(["commit-tree", root, "-p", tree.base, "-m", message]);
  return outputOf(made, "The edits could not be committed").trim();
}

/** The user's next rebase would continue an unfinished one. */
async function endOperations(git: TreeGit, { gitDir }: TreePlace): Promise<void> {
  const operations = [
    ["rebase-merge", "rebase"],
    ["rebase-apply", "rebase"],
    ["MERGE_HEAD", "merge"],
    ["CHERRY_PICK_HEAD", "cherry-pick"],
    ["REVERT_HEAD", "revert"],
  ] as const;
  for (const [file, command] of operations)
    if (existsSync(join(gitDir, file))) await git([command, "--quit"]);
}

/**
 * Follows git: the holder of `index.lock` writes the index. The new index has the commit's entries with file stats.
 */
function refreshIndex(place: TreePlace, tree: Worktree): boolean {
  const index = join(place.gitDir, "index");
  try {
    copyFileSync(sideIndexFile(place, tree, "index"), `${index}.lock`, constants.COPYFILE_EXCL);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  renameSync(`${index}.lock`, index);
  return true;
}

async function note({ common }: TreePlace, { name }: Worktree, result: "kept" | "empty"): Promise<void> {
  const record = await readRecord(common, name);
  if (record !== null) await writeRecord(common, name, { ...record, result });
}

/** Lists the worktrees that exist or have snapshots, by name. Rejects with the signal's reason. */
export async function listTrees(
  { folder, name }: GitRequest<"list">,
  ground: GitEnvironment,
): Promise<SuccessOf<"list">> {
  const repo = await repositoryAt(folder, ground);
  const known = await knownTrees(repo);
  const { out } = await repo.git.run([
    "for-each-ref",
    "--format=%(refname:lstrip=2)",
    "refs/heads/worktree-*",
  ]);
  const branches = new Set(out.split("\n"));
  const trees: TreeListing[] = [];
  const undone = undoneTrees(repo.common);
  for (const tree of known) {
    if (name !== undefined && tree.name !== name) continue;
    ground.signal?.throwIfAborted();
    trees.push(await listingOf(repo, tree, { branches, undone }, ground));
  }
  return { type: "trees", trees };
}

async function listingOf(
  repo: Repository,
  { name, record, base, snapshot, at, stands }: KnownTree,
  { branches, undone }: { readonly branches: ReadonlySet<string>; readonly undone: ReadonlySet<string> },
  ground: GitEnvironment,
): Promise<TreeListing> {
  const branch = branchOf(name);
  const nothing = { files: 0, insertions: 0, deletions: 0 };
  const run = (args: readonly string[]) => repo.git.run(args);
  const saved = snapshot === null || base === null ? nothing : await countsBetween(run, base, snapshot);
  // What no snapshot has, for example after a full disk, is only in the worktree and was never counted.
  const isUnsaved = saved?.files === 0 && stands && record !== null && (await hasEdits(repo, record));
  return {
    name,
    path: stands && record !== null ? record.tree.path : null,
    branch: branches.has(branch) ? branch : null,
    owner: record?.owner ?? null,
    alive: record !== null && ground.isAlive(record.owner.process),
    ...(record?.deferred === undefined ? {} : { deferred: true }),
    ...{ base, snapshot },
    at: snapshot === null ? (record?.at ?? at) : at,
    counts: isUnsaved ? null : saved,
    result: record?.result ?? null,
    undone: undone.has(name),
  };
}

async function hasEdits({ git }: Repository, { tree, linked = [] }: TreeRecord): Promise<boolean> {
  const { code, out } = await git.at(tree.path).run(["status", "--porcelain", "--", ...allOf(linked)]);
  return code !== 0 || out !== "";
}

/** Returns the worktrees whose newest merge was undone. */
function undoneTrees(common: string): Set<string> {
  const newest = new Map<string, string>();
  for (const merge of mergesOf(common)) {
    const story = mergeStateOf(common, merge);
    if (story?.state !== "merged" && story?.state !== "undone") continue;
    const { tree } = story.start;
    if (!newest.has(tree)) newest.set(tree, story.state);
  }
  return new Set([...newest].filter(([, state]) => state === "undone").map(([tree]) => tree));
}

/** Reject with a `GitRefusal` if it is impossible, for a bug, or with the signal's reason. */
export type Operations = {
  readonly [Op in OperationName]: (request: GitRequest<Op>, ground: GitEnvironment) => Promise<SuccessOf<Op>>;
};

/** The operations without state between two requests. */
export const operations: Omit<Operations, "everTracked"> = {
  inspect,
  create: (request, ground) => (request.deferred ? deferTree(request, ground) : createTree(request, ground)),
  make: async ({ tree }, ground) => ({ type: "done", notes: [...(await makeDeferred(tree, ground))] }),
  claim: claimTree,
  snapshot: snapshotTree,
  changedLines: changedLinesOf,
  prepare: prepareMerge,
  apply: applyMerge,
  settle: settleTree,
  rebase: rebaseTree,
  keep: keepTree,
  remove: removeTree,
  list: listTrees,
  diff: diffTree,
  restore: restoreTree,
  removeNamed: removeNamedTree,
  mergeNamed: mergeNamedTree,
  undo: undoMerge,
  exportTree,
  importEdits,
  dropRemoteRefs,
  sweep,
};

/** Returns all operations, with the state of one git worker. */
export function makeOperations(): Operations {
  const histories = new Histories();
  // Each turn of each agent asks for these. All in parallel, they would starve the merges, which come one after the other.
  const inTurn = limitConcurrency(2 * availableParallelism());
  return {
    ...operations,
    everTracked: (request, ground) => histories.lookUp(request, ground),
    snapshot: (request, ground) => inTurn(() => snapshotTree(request, ground), ground.signal),
    // A remote may take minutes.
    exportTree: (request, ground) =>
      request.remote === undefined
        ? inTurn(() => exportTree(request, ground), ground.signal)
        : exportTree(request, ground),
    importEdits: (request, ground) =>
      "remote" in request
        ? importEdits(request, ground)
        : inTurn(() => importEdits(request, ground), ground.signal),
  };
}
