import { hash } from "node:crypto";
import { join } from "node:path";
import { snapshotCheckout } from "../checkout-snapshot.ts";
import { isTreeDeferred, makeDeferred } from "../deferred.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { parts } from "../git.ts";
import { OUR_REFS, snapshotRef } from "../layout.ts";
import { withTreeLock } from "../lock.ts";
import { settleLeftOver } from "../merge/settle.ts";
import type { GitRequest, SuccessOf } from "../protocol.ts";
import { outputOf, refuseRequest, retryAfterGc } from "../refusal.ts";
import { repositoryAt } from "../repository.ts";
import { readRecord, type TreeRecord } from "../tree-record.ts";
import { snapshotLocked } from "../tree-snapshot.ts";
import { locateWorktree } from "../worktree-location.ts";
import { headTrailer, isShallow, knownCommits, repositoryId } from "./bundle.ts";
import { showSnapshot } from "./import.ts";
import { sendCommit } from "./send-commit.ts";

/** A commit whose files travel, and what its untracked files are counted from. */
interface Source {
  readonly commit: string;
  /** A commit with the tracked and untracked files of the checkout. */
  readonly base: string;
  readonly head: string | null;
  readonly notes: readonly string[];
}

/** Writes the files of a worktree or a checkout as a bundle for another machine. */
export async function exportTree(
  { source, have, into, remote }: GitRequest<"exportTree">,
  ground: GitEnvironment,
): Promise<SuccessOf<"exportTree">> {
  const repo = await repositoryAt(source.type === "tree" ? source.tree.checkout : source.folder, ground);
  const repository = await repositoryId(repo);
  const found = await (source.type === "tree"
    ? sourceOfTree(repo, source, ground)
    : retryAfterGc(repo.common, ground, () => sourceOfCheckout(repo, ground)));
  const commit = await withHistory(repo, found, have);
  const file = join(into, `${commit.slice(0, 12)}-${ground.id()}.bundle`);
  const sent = await sendCommit(repo.common, { commit, have, file, remote, signal: ground.signal }, ground);
  const untracked = await countUntracked(repo, found);
  return { type: "exported", repository, commit, ...sent, untracked, notes: [...found.notes] };
}

/** The same files are the same commit again, so that agents which only read can share a worktree. */
async function sourceOfCheckout(repo: Repository, ground: GitEnvironment): Promise<Source> {
  const { head } = repo;
  const taken = await snapshotCheckout(repo, head === null ? [] : [head], ground, { travels: true });
  const last = `${OUR_REFS}exports/${hash("sha256", repo.top).slice(0, 16)}`;
  const asked = [`${last}^{tree}`, last, ...(head === null ? [] : [`${last}^`, `${head}^{tree}`])];
  const { out } = await repo.git.run(["rev-parse", "--revs-only", ...asked]);
  const lines = out.split("\n").filter((line) => line !== "");
  const source = (commit: string): Source => ({ commit, base: commit, head, notes: taken.notes });
  if (head !== null && lines.at(-1) === taken.tree) return source(head);
  const [root, known = "", parent] = lines;
  if (root === taken.tree && (head === null || parent === head)) return source(known);
  outputOf(
    await repo.git.run(["update-ref", last, taken.commit]),
    `The files of ${repo.top} could not be kept`,
  );
  return source(taken.commit);
}

async function sourceOfTree(
  repo: Repository,
  { tree: { name }, at }: Extract<GitRequest<"exportTree">["source"], { type: "tree" }>,
  ground: GitEnvironment,
): Promise<Source> {
  const record = (await readRecord(repo.common, name)) ?? refuseRequest(`There is no worktree ${name}.`);
  const { tree } = record;
  // Older ones may have untracked files with secrets in their base.
  if (record.travels !== true && tree.base !== tree.head)
    refuseRequest(
      `The worktree ${name} was made for this machine, with files that are not committed, so it is not sent to another one.`,
    );
  // Its files are those of its base.
  if (at === undefined && (await isTreeDeferred(tree, ground)))
    return { commit: tree.base, base: tree.base, head: tree.head, notes: [] };
  await makeDeferred(tree, ground);
  await settleLeftOver(repo, tree, ground);
  const of = (commit: string, notes: readonly string[]): Source => ({
    ...{ commit, base: tree.base, head: tree.head, notes },
  });
  return withTreeLock(repo.common, name, ground, async () => {
    if (at !== undefined) {
      const { code } = await repo.git.run(["merge-base", "--is-ancestor", at, snapshotRef(name)]);
      if (code !== 0 && at !== tree.base) refuseRequest(`${at} is not a snapshot of the worktree ${name}.`);
      return of(at, (await showSnapshot(repo, record, at, ground)).notes);
    }
    const taken = await snapshotLocked({ tree, files: null }, locateWorktree(tree), ground);
    return of(await commitToSend(repo, record, taken.commit), taken.notes);
  });
}

/**
 * Returns a commit with the files of a snapshot and none of the chain below it, which is not the receiver's. The chain
 * holds it from now on.
 */
async function commitToSend(repo: Repository, { tree }: TreeRecord, snapshot: string): Promise<string> {
  const { name, base } = tree;
  if (snapshot === base) return base;
  const failed = `The files of ${name} could not be exported`;
  const said = async (args: readonly string[]) => outputOf(await repo.git.run(args), failed).trim();
  const { out } = await repo.git.run([
    ...["rev-parse", "--revs-only"],
    ...[`${snapshot}^{tree}`, `${base}^{tree}`, `${snapshot}^2`, `${snapshot}^2^{tree}`],
  ]);
  const [root = "", ofBase, second, ofSecond] = out.split("\n");
  if (root === ofBase) return base;
  // It came from a runner, and nothing has changed since then.
  if (second && ofSecond === root) return second;
  const message = ["-m", `Files of ${name}`, "-m", headTrailer(base)];
  const made = await said(["commit-tree", root, "-p", base, ...message]);
  const held = await said(["commit-tree", root, "-p", snapshot, "-p", made, "-m", `Export of ${name}`]);
  await said(["update-ref", snapshotRef(name), held, snapshot]);
  return made;
}

/** A shallow clone lacks the history that a commit needs elsewhere, so only the files travel. */
async function withHistory(repo: Repository, { commit }: Source, have: readonly string[]): Promise<string> {
  if (!isShallow(repo)) return commit;
  const [known] = await knownCommits(repo.git, have);
  const failed = "The files could not be exported";
  const same = await repo.git.run(["rev-parse", `${commit}^{tree}`, `${known ?? commit}^{tree}`]);
  const [root = "", ofKnown] = outputOf(same, failed).split("\n");
  if (known !== undefined && ofKnown === root) return known;
  const parent = known === undefined ? [] : ["-p", known];
  const made = await repo.git.run(["commit-tree", root, ...parent, "-m", "Files of a shallow clone"]);
  return outputOf(made, failed).trim();
}

async function countUntracked({ git }: Repository, { base, head }: Source): Promise<number> {
  if (base === head) return 0;
  const names = ["-r", "-z", "--name-only"];
  const listed = await (head === null
    ? git.run(["ls-tree", "--full-tree", ...names, base])
    : git.run(["diff-tree", "--no-renames", "--diff-filter=A", ...names, head, base]));
  return parts(outputOf(listed, "Untracked files could not be counted")).length;
}
