import { snapshotCheckout } from "./checkout-snapshot.ts";
import type { Base, GitEnvironment, Repository } from "./environment.ts";
import type { BaseRef } from "./protocol.ts";
import { bothEnded, refuseRequest } from "./refusal.ts";
import { operationInProgress } from "./repository.ts";

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
  const behind = await repo.git.run(
    ["rev-list", "--count", `${head}..@{upstream}`],
    signal ? { signal } : {},
  );
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
