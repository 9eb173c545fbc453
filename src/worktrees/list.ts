import type * as z from "zod/mini";
import { countsBetween } from "./changes.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { type KnownTree, knownTrees } from "./known-trees.ts";
import { branchOf } from "./layout.ts";
import { mergeStateOf, mergesOf } from "./merge/journal.ts";
import { answered, checkoutAt } from "./refusal.ts";
import type { InspectRequest, ListAnswer, TreeListing } from "./requests.ts";
import { allOf } from "./tree-add.ts";
import type { TreeRecord } from "./tree-record.ts";

type Listing = z.infer<typeof TreeListing>;

/** Lists the worktrees that exist or have snapshots, by name. */
export function listTrees(
  { folder }: z.infer<typeof InspectRequest>,
  ground: GitEnvironment,
): Promise<z.infer<typeof ListAnswer>> {
  return answered(async () => list(await checkoutAt(folder, ground), ground));
}

async function list(repo: Repository, ground: GitEnvironment): Promise<z.infer<typeof ListAnswer>> {
  const known = await knownTrees(repo);
  const { out } = await repo.git.run([
    "for-each-ref",
    "--format=%(refname:lstrip=2)",
    "refs/heads/worktree-*",
  ]);
  const branches = new Set(out.split("\n"));
  const trees: Listing[] = [];
  const undone = undoneTrees(repo.common);
  for (const tree of known) trees.push(await listingOf(repo, tree, { branches, undone }, ground));
  return { type: "trees", trees };
}

async function listingOf(
  repo: Repository,
  { name, record, base, snapshot, at, stands }: KnownTree,
  { branches, undone }: { readonly branches: ReadonlySet<string>; readonly undone: ReadonlySet<string> },
  ground: GitEnvironment,
): Promise<Listing> {
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
