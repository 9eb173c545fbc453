import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { GitEnvironment, Repository } from "./environment.ts";
import { GIT_KILLED, type GitAnswer, gitIn, oddPath } from "./git.ts";
import { lastLine, refuseRequest } from "./refusal.ts";

const QUESTIONS = [
  "--is-bare-repository",
  "--is-inside-git-dir",
  "--show-toplevel",
  "--absolute-git-dir",
  "--path-format=absolute",
  "--git-common-dir",
  "HEAD",
  "--symbolic-full-name",
  "HEAD",
];
const BRANCHES = "refs/heads/";

/**
 * Finds the checkout that contains `folder`; a linked worktree is its own checkout. Needs one command if there is a
 * commit, and none if another caller is about to look there. Throws a refusal.
 */
export function repositoryAt(folder: string, ground: GitEnvironment): Promise<Repository> {
  const look = () => lookAt(folder, ground);
  return ground.looks?.repositories.ask(folder, look) ?? look();
}

async function lookAt(folder: string, ground: GitEnvironment): Promise<Repository> {
  const git = gitIn(folder, ground.env);
  const ask = () => git.run(["rev-parse", ...QUESTIONS]);
  const first = await ask();
  // Nearly every request starts here: it must not fail because git alone was killed.
  const said = first.err === GIT_KILLED ? await ask() : first;
  const [bare, inGitDir, top, gitDir, common, head, name, ...more] = said.out.replace(/\n$/, "").split("\n");
  if (bare === "true") return refuseRequest(`${folder} is a bare repository: it has no files to work on.`);
  if (inGitDir === "true") return refuseRequest(`${folder} is inside a git directory, not in a checkout.`);
  if (top === undefined || gitDir === undefined || common === undefined)
    return refuseRequest(why(folder, said));
  if (!top.startsWith("/") && !/^[A-Za-z]:/.test(top)) return refuseRequest(why(folder, said));
  if (more.length > 0)
    return refuseRequest(`The path of ${folder} has a line break in it, which is not supported.`);
  if ([top, gitDir, common].some(oddPath))
    return refuseRequest(`The path of ${folder} is not UTF-8, which is not supported.`);
  const place = {
    top: await realpath(top),
    common: await realpath(common),
    gitDir: await realpath(gitDir),
  };
  const here = { ...place, git: git.at(place.top) };
  if (said.code === 0 && head !== undefined) return { ...here, head, branch: branchNamed(name) };
  const unborn = await git.run(["symbolic-ref", "-q", "HEAD"]);
  if (unborn.code !== 0)
    return refuseRequest(
      `HEAD of the repository in ${place.top} leads nowhere (git says: ${lastLine(said.err)}).`,
    );
  return { ...here, head: null, branch: branchNamed(unborn.out.trim()) };
}

/** Returns the operation in progress in this checkout, as "a merge", or null. */
export async function operationInProgress(repo: Pick<Repository, "gitDir">): Promise<string | null> {
  const found = IN_PROGRESS.find(([name]) => existsSync(join(repo.gitDir, name)));
  return found?.[1] ?? null;
}

const IN_PROGRESS: readonly (readonly [string, string])[] = [
  ["rebase-merge", "a rebase"],
  // A rebase and `git am` share this directory.
  ["rebase-apply", "a rebase"],
  ["MERGE_HEAD", "a merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
];

/** Returns null if this git has `merge-tree --write-tree` (2.38), or a sentence. */
export async function tooOldToMerge(repo: Pick<Repository, "git">): Promise<string | null> {
  const { out } = await repo.git.run(["version"]);
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(out) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)) return null;
  return `Bringing edits back needs git 2.38 or newer, and this is ${out.trim() || "an unknown one"}, so edits stay on their branch.`;
}

function branchNamed(full: string | undefined): string | null {
  return full?.startsWith(BRANCHES) ? full.slice(BRANCHES.length) : null;
}

function why(folder: string, { code, err }: GitAnswer): string {
  if (err === GIT_KILLED) return `git was killed in ${folder}; try again.`;
  if (code === -1 && !existsSync(folder)) return `There is no directory ${folder}.`;
  if (code === -1 && /ENOENT/.test(err))
    return "git was not found; install git 2.38 or newer to use worktrees.";
  if (code === -1) return `git could not be started in ${folder}: ${lastLine(err)}`;
  if (/not a git repository/.test(err))
    return `${folder} is in no git repository, and worktrees are git's; run "git init" there first.`;
  return `git does not work in ${folder}: ${lastLine(err)}`;
}
