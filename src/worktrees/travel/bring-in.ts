import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../../mailbox/worktree.ts";
import { NESTED, type RawChange, rawChanges } from "../changes.ts";
import type { GitEnvironment, LocatedRepository } from "../environment.ts";
import type { Git, GitAnswer } from "../git.ts";
import { outwardLinks } from "../left-out.ts";
import { isSafeRelativePath } from "../merge/locate.ts";
import type { TravelRemote } from "../protocol.ts";
import { bothEnded, outputOf, refuseRequest } from "../refusal.ts";
import { inBorrowing } from "./bare-repository.ts";
import { type BundledPack, knownCommits, packAt, refuseFullDisk, travelled } from "./bundle.ts";
import { fetchCommit } from "./remote.ts";

/** What is smaller cannot have files that fill a disk. */
const SMALL_BYTES = 1024 * 1024;
/** Few objects become files of their own: a pack for each turn of an agent would make git slow. */
const FEW_OBJECTS = 500;
const ARRIVED = "refs/heads/arrived";
const MAX_FILES_BYTES = 1024 * 1024 * 1024;

/** Where a commit of a runner is: in a bundle or in the remote. */
export type Arrived = { readonly commit: string } & (
  | { readonly pack: BundledPack }
  | { readonly remote: TravelRemote }
);

/** A commit that was checked and is being copied into the repository. */
export interface Arriving {
  /** A directory that has all of its objects until then. */
  readonly objects: string;
  readonly taken: Promise<void>;
  /** Since the base of its worktree. */
  readonly changes: readonly RawChange[];
}

/**
 * Copies what a runner has sent into the repository, after it was checked in one that is thrown away: of what is refused,
 * nothing stays. `work` starts when it was checked.
 */
export async function bringIn<T>(
  repo: LocatedRepository,
  tree: Worktree,
  arrived: Arrived,
  ground: GitEnvironment,
  work: (arriving: Arriving) => Promise<T>,
): Promise<T> {
  const { commit } = arrived;
  return inBorrowing(repo.common, { like: commit }, ground, async (git, path) => {
    const packs = "pack" in arrived ? [arrived.pack] : await fetchPacks(arrived, ground, path);
    const what =
      "pack" in arrived
        ? `The bundle ${arrived.pack.file} was not taken`
        : `The edits of ${tree.name} were not taken`;
    for (const pack of packs) await checkPack(repo, git, pack, what);
    const bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
    const [whole, changes] = await bothEnded(
      git.run(["rev-list", "--objects", "--quiet", commit, `^${tree.base}`]),
      assertHarmless(git, tree, commit, bytes),
    );
    outputOf(whole, what);
    const take = async () => {
      for (const pack of packs) travelled(await takePack(repo.git, pack), what, repo.common);
    };
    const taken = take();
    const [done] = await bothEnded(work({ objects: join(path, "objects"), taken, changes }), taken);
    return done;
  });
}

async function fetchPacks(
  { commit, remote }: Extract<Arrived, { remote: TravelRemote }>,
  { env, signal }: GitEnvironment,
  path: string,
): Promise<BundledPack[]> {
  const findProblem = () =>
    packedBytes(path) > MAX_FILES_BYTES ? `its files have more than ${MAX_FILES_BYTES} bytes` : null;
  await fetchCommit(remote, commit, ARRIVED, { path, env, signal, findProblem });
  return packsIn(path).map((file) => packAt(file));
}

/** Copies objects into a repository; `strict`: refuses those that are malformed or refer to missing ones. */
function takePack(git: Git, { file, from, objects }: BundledPack, strict = false): Promise<GitAnswer> {
  const command = objects <= FEW_OBJECTS ? ["unpack-objects", "-q"] : ["index-pack", "--stdin", "--fix-thin"];
  return git.run([...command, ...(strict ? ["--strict"] : [])], { input: { file, from } });
}

/** Git's error names the object and what is wrong with it before its last line. */
async function checkPack(
  { git: ours, top }: LocatedRepository,
  git: Git,
  pack: BundledPack,
  what: string,
): Promise<void> {
  const checked = await takePack(git, pack, true);
  if (checked.code === 0) return;
  refuseFullDisk(checked, what, top);
  if ((await knownCommits(ours, pack.needs)).length < pack.needs.length)
    refuseRequest(`${what}: it builds on commits that ${top} does not have.`);
  const [, problem] = /^error: (?:object [0-9a-f]+: )?(.+)$/m.exec(checked.err) ?? [];
  if (problem !== undefined) refuseRequest(`${what}: it is damaged or forged (${problem}).`);
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

/** Refuses files that no honest runner sends: what they would do here is not an edit of the worktree. Returns the changes. */
async function assertHarmless(
  git: Git,
  tree: Worktree,
  commit: string,
  bytes: number,
): Promise<readonly RawChange[]> {
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
  return changes;
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
