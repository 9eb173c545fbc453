import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../../mailbox/worktree.ts";
import { NESTED, type RawChange, rawChanges } from "../changes.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import type { Git, GitAnswer } from "../git.ts";
import { snapshotRef } from "../layout.ts";
import { isSafeRelativePath } from "../merge/locate.ts";
import type { TravelRemote } from "../protocol.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { inBorrowing } from "./bare-repository.ts";
import { travelled } from "./bundle.ts";
import { outwardLinks } from "./outward-links.ts";
import { fetchCommit } from "./remote.ts";

/** A bundle that is smaller cannot have files that fill a disk. */
const SMALL_BYTES = 1024 * 1024;
const ARRIVED = "refs/heads/arrived";
const MAX_FILES_BYTES = 1024 * 1024 * 1024;

/** Where a commit of a runner is: in a bundle, whose header has been checked, or in the remote. */
export type Arrived = { readonly commit: string } & (
  | { readonly bundle: string }
  | { readonly remote: TravelRemote }
);

/**
 * Copies what a runner has sent into the repository, after it was checked in one that is thrown away: of what is refused,
 * nothing stays.
 */
export async function bringIn(
  repo: Repository,
  tree: Worktree,
  arrived: Arrived,
  ground: GitEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { commit } = arrived;
  const newest = await repo.git.run(["rev-parse", "--revs-only", snapshotRef(tree.name)]);
  const known = newest.out.trim() || tree.base;
  // What git walks from, to know that the history below the bundle is whole.
  const refs = { "refs/known/base": tree.base, "refs/known/newest": known };
  await inBorrowing(repo.common, { like: commit, refs }, ground, async (git, path) => {
    const what =
      "bundle" in arrived
        ? `The bundle ${arrived.bundle} was not taken`
        : `The edits of ${tree.name} were not taken`;
    if ("bundle" in arrived) {
      const opened = await git.run(["bundle", "unbundle", arrived.bundle]);
      if (/lacks these prerequisite commits/.test(opened.err))
        refuseRequest(`${what}: it builds on commits that ${repo.top} does not have.`);
      travelled(opened, what, repo.common);
    } else {
      const findProblem = () =>
        packedBytes(path) > MAX_FILES_BYTES ? `its files have more than ${MAX_FILES_BYTES} bytes` : null;
      const { env } = ground;
      await fetchCommit(arrived.remote, commit, ARRIVED, { path, env, signal, findProblem });
    }
    const size = "bundle" in arrived ? statSync(arrived.bundle).size : packedBytes(path);
    for (const pack of packsIn(path))
      assertSound(await git.run(["index-pack", "--strict", "-o", join(path, "checked.idx"), pack]), what);
    await assertHarmless(git, tree, commit, size);
    writeFileSync(join(path, ARRIVED), `${commit}\n`);
    // Few objects become files of their own: a pack for each turn of an agent would make git slow.
    const fetch = ["fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
    const settings = ["-c", "fetch.unpackLimit=500", "-c", "fetch.writeCommitGraph=false"];
    const done = await repo.git.run([...settings, ...fetch, path, ARRIVED]);
    travelled(done, what, repo.common);
  });
}

/** Git's error names the object and what is wrong with it before its last line. */
function assertSound(checked: GitAnswer, what: string): void {
  const [, problem] = /^error: (?:object [0-9a-f]+: )?(.+)$/m.exec(checked.err) ?? [];
  if (checked.code !== 0 && problem !== undefined)
    refuseRequest(`${what}: it is damaged or forged (${problem}).`);
  outputOf(checked, what);
}

/** Also of what is still arriving. */
function packedBytes(path: string): number {
  const folder = join(path, "objects", "pack");
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
}

function packsIn(path: string): string[] {
  const folder = join(path, "objects", "pack");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => join(folder, name));
}

/** Refuses files that no honest runner sends: what they would do here is not an edit of the worktree. */
async function assertHarmless(git: Git, tree: Worktree, commit: string, bytes: number): Promise<void> {
  const changes = await rawChanges((args) => git.run(args), tree.base, commit);
  const refuse = (path: string, why: string) =>
    refuseRequest(`The edits of ${tree.name} were not taken: ${JSON.stringify(path)} ${why}.`);
  for (const { path, newMode } of changes) {
    if (newMode === "000000") continue;
    if (!isSafeRelativePath(path)) refuse(path, "is not a path in a worktree");
    if (newMode === NESTED) refuse(path, "is another repository");
    if (!/^(?:100644|100755|120000|040000)$/.test(newMode)) refuse(path, `has the mode ${newMode}`);
  }
  const [link] = await outwardLinks((args, options) => git.run(args, options), changes);
  if (link !== undefined) refuse(link, "is a symbolic link out of the worktree");
  if (bytes > SMALL_BYTES) await assertSize(git, tree, commit, changes);
}

async function assertSize(
  git: Git,
  { name }: Worktree,
  commit: string,
  changes: readonly RawChange[],
): Promise<void> {
  const listed = await git.run(["ls-tree", "-r", "-l", "-z", "--full-tree", commit]);
  const ids = new Set(changes.map(({ newId }) => newId));
  let sum = 0;
  for (const [, id = "", size] of outputOf(listed, `The edits of ${name} could not be read`).matchAll(
    /\d{6} blob (\S+) +(\d+)\t/g,
  ))
    if (ids.has(id)) sum += Number(size);
  if (sum > MAX_FILES_BYTES)
    refuseRequest(
      `The edits of ${name} were not taken: their files have ${sum} bytes; up to ${MAX_FILES_BYTES} are taken.`,
    );
}
