import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { listNames } from "../lib/on-disk.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, LocatedRepository } from "./environment.ts";
import { type GitAnswer, type GitOptions, gitIn } from "./git.ts";
import { refuseRequest } from "./refusal.ts";

/** Where git keeps the data of a worktree. */
export interface TreePlace {
  /** The real path of the common git directory. */
  readonly common: string;
  /** The git directory of this worktree alone, with its HEAD and index. */
  readonly gitDir: string;
}

/**
 * Reads files whose format git documents, from the checkout downwards, and never the worktree's own `.git`, which an
 * agent can delete or redirect.
 */
export function locateWorktree({ checkout, path }: Worktree): TreePlace {
  const common = commonOf(checkout);
  const gitDir = gitDirOf(common, path) ?? refuseRequest(`Git knows of no work tree at ${path}.`);
  return { common, gitDir };
}

/** `checkout`: the top of one that worktrees were made from. */
export function locateRepository(checkout: string, { env }: GitEnvironment): LocatedRepository {
  return { top: checkout, common: commonOf(checkout), git: gitIn(checkout, env) };
}

function commonOf(checkout: string): string {
  return commonFolder(checkout) ?? refuseRequest(`${checkout} is no longer in a git repository.`);
}

/** Returns null if it does not exist. */
export function commonFolder(checkout: string): string | null {
  try {
    const at = join(checkout, ".git");
    const gitDir = lstatSync(at).isFile() ? pointed(at, "gitdir: ") : realpathSync(at);
    const common = textOf(join(gitDir, "commondir"));
    return realpathSync(common === null ? gitDir : resolve(gitDir, common));
  } catch {
    // Gone, or not git's.
    return null;
  }
}

/** Git names the directory after the worktree, with a number if that was taken. */
export function gitDirOf(common: string, path: string): string | null {
  const wanted = join(path, ".git");
  const names = [basename(path), ...listNames(join(common, "worktrees"))];
  const isOf = (gitDir: string) => {
    const text = textOf(join(gitDir, "gitdir"));
    return text !== null && resolve(gitDir, text) === wanted;
  };
  return names.map((name) => join(common, "worktrees", name)).find(isOf) ?? null;
}

function pointed(file: string, before: string): string {
  return realpathSync(resolve(dirname(file), readFileSync(file, "utf8").trim().slice(before.length)));
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    // Absence is an answer.
    return null;
  }
}

/** Runs git on a worktree, whatever its `.git` says. */
export type TreeGit = (args: readonly string[], options?: GitOptions) => Promise<GitAnswer>;

/** Overrides settings that make git compare files less carefully for speed. */
const CAREFUL = ["core.trustctime=true", "core.checkStat=default", "core.splitIndex=false"];

export function gitOn(tree: Worktree, { gitDir }: TreePlace, ground: GitEnvironment): TreeGit {
  const git = gitIn(tree.path, ground.env);
  const before = CAREFUL.flatMap((setting) => ["-c", setting]);
  return (args, options) => git.run([...before, ...args], { ...options, gitDir });
}
