import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import { snapshotCheckout } from "./checkout-snapshot.ts";
import type { Base, GitEnvironment, Repository } from "./environment.ts";
import { fillTree } from "./fill.ts";
import { hasAllObjects } from "./gc-guard.ts";
import type { Git } from "./git.ts";
import { baseRef } from "./layout.ts";
import type { BaseRef } from "./protocol.ts";
import { bothEnded, outputOf, refuseByGit, refuseRequest } from "./refusal.ts";
import { operationInProgress } from "./repository.ts";
import { locateWorktree } from "./worktree-location.ts";

interface Wanted {
  readonly baseRef: BaseRef;
  readonly travels?: boolean | undefined;
}

/** Returns the commit that a worktree starts from (A16.1), with notes on what it lacks (C12). */
export function baseOf(repo: Repository, wanted: Wanted, ground: GitEnvironment): Promise<Base> {
  const { looks } = ground;
  if (looks === undefined) return takeBase(repo, wanted, ground);
  const key = JSON.stringify([repo.top, repo.head, wanted.baseRef, wanted.travels]);
  // It is not only for the first who asks.
  return looks.bases.ask(key, () => takeBase(repo, wanted, { ...ground, signal: undefined }));
}

async function takeBase(
  repo: Repository,
  { baseRef, travels = false }: Wanted,
  ground: GitEnvironment,
): Promise<Base> {
  switch (baseRef) {
    case "checkout":
      return ofCheckout(repo, travels, ground);
    case "head":
      if (repo.head === null) return refuseRequest(noCommit(repo, "head"));
      return { commit: repo.head, notes: await about(repo, repo.head, ground) };
    case "fresh":
      return fresh(repo);
    default:
      return baseRef satisfies never;
  }
}

async function ofCheckout(repo: Repository, travels: boolean, ground: GitEnvironment): Promise<Base> {
  const { head } = repo;
  // If nothing is uncommitted, HEAD is the base.
  const like = head === null ? null : treeOf(repo, head);
  const [taken, notes] = await bothEnded(
    snapshotCheckout(repo, head === null ? [] : [head], ground, { travels, like }),
    head === null ? Promise.resolve([]) : about(repo, head, ground),
  );
  return { commit: taken.commit, notes: [...taken.notes, ...notes] };
}

async function treeOf({ git }: Repository, commit: string) {
  return { commit, tree: (await git.run(["rev-parse", `${commit}^{tree}`])).out.trim() };
}

/** Uses the remote branch as last fetched; fetches nothing. */
async function fresh(repo: Repository): Promise<Base> {
  if (repo.head === null) refuseRequest(noCommit(repo, "fresh"));
  const { out } = await repo.git.run([
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    "refs/remotes/*/HEAD",
  ]);
  const heads = out.split("\n").flatMap((line) => {
    const [ref, commit] = line.split(" ");
    return ref && commit ? [{ ref, commit }] : [];
  });
  const found =
    heads.find(({ ref }) => ref === "refs/remotes/origin/HEAD") ?? (heads.length === 1 ? heads[0] : null);
  if (found) return { commit: found.commit, notes: [] };
  return refuseRequest(
    `The default branch of a remote is not known in ${repo.top}, so nothing can begin from it; run "git remote set-head origin --auto", or set worktree.baseRef to "head".`,
  );
}

async function about(repo: Repository, head: string, { signal }: GitEnvironment): Promise<string[]> {
  const doing = await operationInProgress(repo);
  const behind = await repo.git.run(["rev-list", "--count", `${head}..@{upstream}`], { signal });
  const count = behind.code === 0 ? Number(behind.out.trim()) : 0;
  return [
    ...(doing === null
      ? []
      : [`${repo.top} is in the middle of ${doing}; the worktree begins from what that has come to.`]),
    ...(count === 0
      ? []
      : [
          `HEAD is ${count} ${count === 1 ? "commit" : "commits"} behind its upstream, as it was when it was last fetched.`,
        ]),
  ];
}

function noCommit(repo: Repository, baseRef: BaseRef): string {
  return `${repo.top} has no commit yet, so a worktree cannot begin from "${baseRef}"; make a first commit, or set worktree.baseRef to "checkout".`;
}

/** Puts a ref on the base of a new worktree. `again`: its name was used before. */
export async function holdNewBase(
  { git, common, head }: Repository,
  tree: Worktree,
  again: boolean,
  ground: GitEnvironment,
): Promise<void> {
  const { name, base } = tree;
  const held = await git.run(["update-ref", baseRef(name), base, ...(again ? [] : [""])]);
  outputOf(held, notMade(tree));
  if (base === head || head === null) return;
  // A `git gc --prune=now` drops objects that no ref holds yet.
  const isThere = await hasAllObjects(git.run, common, base, head, [], ground);
  if (!isThere) refuseByGit(`${notMade(tree)}: ${LOST}`);
}

/** Puts a ref on a base that became known while its worktree was filled, so that `git gc` cannot drop it. */
export async function holdBase(
  repo: Repository,
  tree: Worktree,
  base: string,
  ground: GitEnvironment,
): Promise<void> {
  if (base === tree.base) return;
  const ref = baseRef(tree.name);
  outputOf(await repo.git.run(["update-ref", ref, base, tree.base]), notMade(tree));
  if (await hasAllObjects(repo.git.run, repo.common, base, tree.base, [], ground)) return;
  await repo.git.run(["update-ref", ref, tree.base, base]);
  refuseByGit(`${notMade(tree)}: ${LOST}`);
}

/**
 * Moves a worktree that was filled before its base was known to that base; writes only the files that differ. Returns
 * notes.
 */
export async function advanceToBase(
  { tree, git, to }: { readonly tree: Worktree; readonly git: Git; readonly to: string },
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (to === tree.base) return [];
  nothingIsRacy(tree);
  const difference = ["read-tree", "-m", "-u", "--no-recurse-submodules", tree.base, to];
  const [done, moved] = await bothEnded(
    git.run(difference, { signal }),
    git.run(["update-ref", "HEAD", to, tree.base]),
  );
  // Git sees a file as changed if its filters do not reproduce the content; and filters may fail.
  const notes = done.code === 0 ? [] : await fillTree(git, to, signal);
  outputOf(moved, notMade(tree));
  return notes;
}

/**
 * Git rereads every file written in the same second as its index, here most of them, because it could have changed
 * since. No agent knows of this worktree yet, and the index that git writes next has its own time.
 */
function nothingIsRacy(tree: Worktree): void {
  const index = join(locateWorktree(tree).gitDir, "index");
  const later = statSync(index).mtimeMs / 1_000 + 2;
  utimesSync(index, later, later);
}

/** Error for a base that no ref held yet. */
const LOST = "git gc took away what was not held yet; ask again";

export function notMade({ name }: Pick<Worktree, "name">): string {
  return `The worktree ${name} could not be made`;
}
