import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import { Worktree } from "../../mailbox/worktree.ts";
import { type RawChange, rawChanges } from "../changes.ts";
import type { GitEnvironment, LocatedRepository } from "../environment.ts";
import { idsOf } from "../git.ts";
import { deleteRef, dropLocksOfKilled } from "../git-locks.ts";
import { baseRef, OUR_REFS, sideRefs, snapshotRef, treeRecordFolder, treesFolder } from "../layout.ts";
import { type LeftRepositories, leaveNestedOut } from "../left-out.ts";
import { withTreeLock } from "../lock.ts";
import type { GitRequest, SuccessOf } from "../protocol.ts";
import { answered, bothEnded, lastLine, outputOf, refuseByGit, refuseRequest } from "../refusal.ts";
import { openSideIndex, type SideIndex, seedFromTree } from "../side-index.ts";
import { addAll, hasFilesOf } from "../tree-add.ts";
import { readJsonFile, readRecord } from "../tree-record.ts";
import { gitOn, locateRepository, locateWorktree, type TreeGit } from "../worktree-location.ts";
import { foldersOf, lstatOf } from "./file-state.ts";

/** An agent's worktree shows other files than its own for a while. */
const Shown = z.object({
  /** The commit of its own files, and the tree that is shown. */
  snapshot: z.string(),
  to: z.string(),
  /** The agent's own files that were moved, each under its number. */
  aside: z.array(z.string()),
  /** What is shown becomes its own as soon as its record says so. */
  next: z.optional(Worktree),
  /** The snapshot that has what is shown: its own as soon as this is on the chain. */
  becomes: z.optional(z.string()),
});
type Shown = z.infer<typeof Shown>;

/** Restores the worktree as its agent left it, whatever a check did there. Unchanged files stay untouched. */
export async function settleTree(
  { tree }: GitRequest<"settle">,
  ground: GitEnvironment,
): Promise<SuccessOf<"settle">> {
  await settleLeftOver(locateRepository(tree.checkout, ground), tree, ground);
  return { type: "done" };
}

export async function settleLeftOver(
  repo: LocatedRepository,
  tree: Worktree,
  ground: GitEnvironment,
): Promise<void> {
  if (readJsonFile(Shown, shownFile(repo.common, tree)) === null) return;
  const settle = async () => {
    const shown = readJsonFile(Shown, shownFile(repo.common, tree));
    if (shown === null) return;
    const { next, becomes } = shown;
    const record = next && (await readRecord(repo.common, tree.name));
    try {
      if (next && record?.tree.base === next.base) await beginFrom(next, ground);
      else if (!(await isOnChain(repo, tree, becomes))) await ownBack(repo, tree, shown, ground);
      forgetShown(repo.common, tree);
    } finally {
      if (next) await forgetSides(repo, tree);
    }
  };
  await withTreeLock(repo.common, tree.name, ground, settle);
}

async function isOnChain(
  { git }: LocatedRepository,
  { name }: Worktree,
  commit: string | undefined,
): Promise<boolean> {
  if (commit === undefined) return false;
  return (await git.run(["merge-base", "--is-ancestor", commit, snapshotRef(name)])).code === 0;
}

interface Showing extends Pick<Shown, "snapshot" | "to" | "next"> {
  /** The tree of `snapshot`, if known. */
  readonly root?: string;
  /** The changes between both, if known. */
  readonly raw?: readonly RawChange[] | undefined;
  /** Makes the commit that is `becomes` of `Shown`, and puts it on the chain. */
  readonly chain?: { make(): Promise<string>; hold(commit: string): Promise<void> };
}

/** Shows other files in the agent's worktree, and moves its own that differ. Returns the changes. Call under its lock. */
export async function showInTree(
  repo: LocatedRepository,
  tree: Worktree,
  { snapshot, root: own, to, next, chain, raw: known }: Showing,
  ground: GitEnvironment,
): Promise<readonly RawChange[]> {
  return withTreeIndex(repo, tree, ground, async (git, index, lookAt) => {
    // The longest one first.
    const looked = lookAt(own ?? snapshot);
    const found = known ? Promise.resolve(known) : rawChanges(repo.git.run, snapshot, to);
    const planned = bothEnded(found, chain?.make() ?? NOTHING);
    const [{ root, changes }, [raw, becomes]] = await bothEnded(looked, planned);
    const [strange] = changes;
    if (strange !== undefined)
      refuseRequest(`${strange.path} in ${tree.path} is being written to; end what runs there first.`);
    const aside = raw.filter(({ oldMode }) => /^1[02]/.test(oldMode)).map(({ path }) => path);
    // Git would overwrite what it ignores.
    const moved = new Set(aside);
    const taken = raw.find((change) => isInTheWay(tree, change, moved));
    if (taken !== undefined) refuseRequest(notWritten(tree, `${taken.path} is there already`));
    const folder = asideFolder(tree);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const shown = { snapshot, to, aside, ...(next && { next }), ...(becomes && { becomes }) };
    ground.disk.write(shownFile(repo.common, tree), JSON.stringify(shown));
    for (const [number, path] of aside.entries())
      renameSync(join(tree.path, path), join(folder, String(number)));
    const failed = await writeFiles(git, index.file, root, to);
    if (failed !== null) {
      const back = await answered(() => ownBack(repo, tree, shown, ground));
      if (back === undefined) forgetShown(repo.common, tree);
      refuseRequest(notWritten(tree, failed));
    }
    if (chain && becomes) {
      await chain.hold(becomes);
      index.forgetRecent();
      index.keep();
    }
    return raw;
  });
}

function notWritten({ path }: Worktree, why: string): string {
  return `What was merged could not be written into ${path}: ${why}.`;
}

/** True if an untracked file is at, above or below the path of a new one. `moved`: files that make way for it. */
function isInTheWay(
  tree: Worktree,
  { path, oldMode, newMode }: RawChange,
  moved: ReadonlySet<string>,
): boolean {
  if (oldMode !== "000000" || !/^1[02]/.test(newMode)) return false;
  for (const above of [...foldersOf(path), path]) {
    const found = lstatOf(join(tree.path, above));
    if (found === null) return false;
    if (!found.isDirectory()) return !moved.has(above);
  }
  const below = readdirSync(join(tree.path, path), { recursive: true, withFileTypes: true });
  return below.some(
    (one) => !one.isDirectory() && !moved.has(relative(tree.path, join(one.parentPath, one.name))),
  );
}

/**
 * Restores the agent's own files; repeatable after a crash. One of Troupe's refs keeps what else the check made,
 * changed or deleted.
 */
async function ownBack(
  repo: LocatedRepository,
  tree: Worktree,
  { snapshot, to, aside }: Shown,
  ground: GitEnvironment,
): Promise<void> {
  await withTreeIndex(repo, tree, ground, async (git, index, lookAt) => {
    const { root, changes } = await lookAt(snapshot);
    if (root !== to && changes.length > 0) {
      const words = `What a check left in ${tree.name}`;
      const made = await git(["commit-tree", root, "-p", snapshot, "-m", words]);
      await git(["update-ref", `${OUR_REFS}checks/${tree.name}`, made.out.trim()]);
    }
    const failed = changes.length === 0 ? null : await writeFiles(git, index.file, root, snapshot);
    if (failed !== null)
      refuseRequest(
        `The files of ${tree.path} could not be put back (git says: ${failed}). End what runs there, and try again.`,
      );
    for (const [number, path] of aside.entries()) {
      const own = join(asideFolder(tree), String(number));
      if (lstatOf(own) !== null) renameSync(own, join(tree.path, path));
    }
  });
}

/** Returns git's error. */
async function writeFiles(git: TreeGit, index: string, from: string, to: string): Promise<string | null> {
  const args = ["read-tree", "-m", "-u", "--no-recurse-submodules", "--no-sparse-checkout", from, to];
  const { code, err } = await git(args, { index });
  return code === 0 ? null : lastLine(err);
}

const NO_COMMIT = { code: 0, out: "", err: "" };
const NOTHING = Promise.resolve(null);

type TreeNow = Pick<LeftRepositories, "root" | "changes">;

/**
 * Runs with an index. `lookAt` gives it the whole worktree, and returns what a snapshot after this one would find.
 */
async function withTreeIndex<T>(
  { common }: LocatedRepository,
  tree: Worktree,
  ground: GitEnvironment,
  work: (git: TreeGit, index: SideIndex, lookAt: (snapshot: string) => Promise<TreeNow>) => Promise<T>,
): Promise<T> {
  const place = locateWorktree(tree);
  const git = gitOn(tree, place, ground);
  const { linked = [], at = 0 } = (await readRecord(common, tree.name)) ?? {};
  const index = openSideIndex(place, tree, "index", ground);
  try {
    const isBegun = index.begun || (await seedFromTree(git, place, tree, index.file, at));
    if (!isBegun) index.drop();
    return await work(git, index, async (snapshot) => {
      if (isBegun && (await hasFilesOf(git, index.file, snapshot, linked)))
        return { root: snapshot, changes: [] };
      const added = await addAll(git, index.file, tree, linked);
      if (added === null) refuseByGit(`What is in ${tree.path} could not be read`);
      return leaveNestedOut(git, index.file, snapshot, async () => NO_COMMIT);
    });
  } finally {
    index.drop();
  }
}

/** From now on its content is the worktree's own, or in its snapshots. */
export function forgetShown(common: string, tree: Worktree): void {
  const file = shownFile(common, tree);
  for (const path of [file, `${file}.new`, asideFolder(tree)]) rmSync(path, { recursive: true, force: true });
}

function shownFile(common: string, { name }: Worktree): string {
  return join(treeRecordFolder(common, name), "shown.json");
}

/** Returns a directory on the worktree's disk, so that a file can be renamed there and back. */
function asideFolder({ name, checkout }: Worktree): string {
  return join(treesFolder(checkout), `.shown-${name}`);
}

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
