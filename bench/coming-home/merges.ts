import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Git, gitIn, parts } from "../../src/worktrees/git.ts";
import { mergeByGit } from "../../test/worktrees/replay/merge-by-git.ts";
import { type HistoricMerge, must, readMerge } from "../../test/worktrees/replay/merges-in.ts";
import type { HomeAdapter } from "./adapter.ts";
import type { Verdict } from "./judge.ts";
import { type Case, play, readTree } from "./play.ts";

/**
 * Merges of this project's own history, which every full clone has: every fourth or so of all that two parents with one
 * merge base made, 24 that git merges and 12 that it does not.
 */
export const MERGES = [
  "dbce518004ac 3c1bcb01a145 79463d322617 cebf9e15354e 6a2afe6d864c e574b8362127",
  "590bc212741d 9cc543ac7bc8 40969ef8606c f676911da49b f4cff3a6efd3 16a60759bd87",
  "247619e475d9 f635d9c78027 df2b74e7764e 99f87f67cbc7 629b9be3017e a1c03bb67c10",
  "9eaaf37a57f7 b575e98fb418 076fd29711ea c8e56591c407 d6fb28146dff d98b1bb7eec4",
  "593e7d88f64c 1b88691966ce 918661a0eeb3 90bf10b88f8a 8c769df43c8d 30e22c7fba34",
  "4f2f227a2f11 2a46d02e23cc 172c855a8fcc e88b6a7128ba a0f47400a025 3b53049cbef7",
].flatMap((line) => line.split(" "));

/** Plays merges of a repository: the second parent is the agent's, the first the user's. */
export async function playMerges(
  tool: HomeAdapter,
  place: { readonly dir: string; readonly env: Readonly<Record<string, string>> },
  repository: string,
  commits: readonly string[],
): Promise<Verdict[]> {
  const { dir, env } = place;
  mkdirSync(dir, { recursive: true });
  const clone = join(dir, "clone");
  await must(gitIn(dir, env), ["clone", "-q", "--no-checkout", repository, clone]);
  const git = gitIn(clone, env);
  const verdicts: Verdict[] = [];
  for (const [at, commit] of commits.entries()) {
    const merge = await readMerge(git, commit);
    if (typeof merge === "string")
      throw new Error(`${commit} cannot be played: ${merge}. Is this a full clone?`);
    // Every other user has committed; the rest is in the middle of it.
    const isCommitted = at % 2 === 0;
    verdicts.push(
      await play(
        tool,
        await setUp(git, merge, { isCommitted, spare: join(dir, `${at}`), env, agent: `merge${at}` }),
      ),
    );
  }
  return verdicts;
}

interface SetUp {
  readonly isCommitted: boolean;
  readonly spare: string;
  readonly agent: string;
  readonly env: Readonly<Record<string, string>>;
}

async function setUp(
  git: Git,
  merge: HistoricMerge,
  { isCommitted, spare, agent, env }: SetUp,
): Promise<Case> {
  const { commit, base, ours, theirs } = merge;
  await cleanUp(git);
  await must(git, ["checkout", "-q", "-f", "-B", "main", base]);
  await must(git, ["clean", "-ffdxq"]);
  return {
    name: `${commit.slice(0, 10)}, ${isCommitted ? "committed" : "uncommitted"}`,
    checkout: { dir: git.folder, git, env, spare, agent },
    users: git.folder,
    edit: (copy) => rewriteFiles(git.at(copy), join(git.folder, ".git"), `${spare}/index`, base, theirs),
    meanwhile: () =>
      isCommitted
        ? must(git, ["merge", "-q", "--ff-only", ours])
        : rewriteFiles(git, join(git.folder, ".git"), `${spare}/index`, base, ours),
    async findMerged() {
      const expected = await mergeByGit(git, merge);
      if (expected.type === "conflict") return null;
      const files = await readTree(git, spare, expected.tree);
      const paths = await changedBetween(git, ours, expected.tree);
      return new Map(paths.map((path) => [path, files.get(path) ?? null]));
    },
  };
}

/** Whatever the last tool and the last case have left. */
async function cleanUp(git: Git): Promise<void> {
  await git.run(["merge", "--abort"]);
  const listed = parts(await must(git, ["worktree", "list", "--porcelain", "-z"]));
  const dirs = listed.flatMap((line) =>
    line.startsWith("worktree ") ? [line.slice("worktree ".length)] : [],
  );
  for (const dir of dirs.slice(1)) await must(git, ["worktree", "remove", "--force", "--force", dir]);
}

/** Changes the files of one commit to those of another; the index of the directory stays as it is. */
async function rewriteFiles(
  git: Git,
  gitDir: string,
  index: string,
  from: string,
  to: string,
): Promise<void> {
  const options = { index, gitDir };
  await must(git, ["read-tree", from], options);
  await must(git, ["update-index", "-q", "--refresh"], options);
  await must(git, ["read-tree", "-m", "-u", from, to], options);
}

async function changedBetween(git: Git, from: string, to: string): Promise<string[]> {
  return parts(await must(git, ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to]));
}
