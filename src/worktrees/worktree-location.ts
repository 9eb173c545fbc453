import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment } from "./environment.ts";
import { type GitAnswer, type GitOptions, gitIn } from "./git.ts";
import type { Refused } from "./requests.ts";

/** Where git keeps what belongs to a tree. */
export interface TreePlace {
  /** The common git folder, as it really is. */
  readonly common: string;
  /** Of this tree alone: its HEAD, its index. */
  readonly gitDir: string;
}

/**
 * Read from files whose form git documents, from the checkout downwards, and never from the tree's own `.git`, which an
 * agent can delete or point elsewhere.
 */
export function locateWorktree(tree: Worktree): TreePlace | Refused {
  const common = commonFolder(tree.checkout);
  if (common === null)
    return { type: "refused", reason: `${tree.checkout} is in no git repository any more.` };
  const gitDir = gitDirOf(common, tree.path);
  return gitDir === null
    ? { type: "refused", reason: `Git knows of no work tree at ${tree.path}.` }
    : { common, gitDir };
}

/** Null: there is none. */
export function commonFolder(checkout: string): string | null {
  try {
    const at = join(checkout, ".git");
    const gitDir = lstatSync(at).isFile() ? pointed(at, "gitdir: ") : realpathSync(at);
    const common = textOf(join(gitDir, "commondir"));
    return realpathSync(common === null ? gitDir : resolve(gitDir, common));
  } catch {
    // Gone, or nothing of git's.
    return null;
  }
}

/** Git names the folder after the tree, with a number where that was taken. */
function gitDirOf(common: string, path: string): string | null {
  let names: string[];
  try {
    names = readdirSync(join(common, "worktrees"));
  } catch {
    // No work tree was ever made.
    return null;
  }
  const wanted = join(path, ".git");
  for (const name of names) {
    const gitDir = join(common, "worktrees", name);
    const text = textOf(join(gitDir, "gitdir"));
    if (text !== null && resolve(gitDir, text) === wanted) return gitDir;
  }
  return null;
}

function pointed(file: string, before: string): string {
  return realpathSync(resolve(dirname(file), readFileSync(file, "utf8").trim().slice(before.length)));
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    // Not there: that is an answer.
    return null;
  }
}

/** Git on a tree, whatever its `.git` says by now. */
export type TreeGit = (args: readonly string[], options?: GitOptions) => Promise<GitAnswer>;

/** What decides whether a file looks unchanged is not left to settings that trade it for speed. */
const CAREFUL = ["core.trustctime=true", "core.checkStat=default", "core.splitIndex=false"];

export function gitOn(tree: Worktree, { gitDir }: TreePlace, ground: GitEnvironment): TreeGit {
  const git = gitIn(tree.path, ground.env);
  const before = CAREFUL.flatMap((setting) => ["-c", setting]);
  return (args, options) => git.run([...before, ...args], { ...options, gitDir });
}
