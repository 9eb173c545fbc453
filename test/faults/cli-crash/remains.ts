import { lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** Refs of ours that stay, as docs/worktrees.md says. */
const OUR_REF = /^refs\/troupe\/(?:(?:trees|bases|ignored)\/agent-\w+|merges\/\w+\/(?:before|after))$/;
/** What stays below `.git/troupe`: who had which worktree, and what a merge put aside for `troupe undo`. */
const OUR_FILE =
  /^(?:lock\.\d+|merge-order|repository-id|trees\/[\w.-]+\/(?:owner\.json|lock\.\d+)|merges\/\w+\/(?:journal\.jsonl|aside\/.+|[\w.-]+))$/;
/** Of a session: its journal, its lock, results that were taken out of a conversation, files for `/rewind`; what is kept for the next one. */
const HOME_FILE =
  /^cache\/|^run\/$|^past-runs\.json$|^fleet-key$|^projects\/[^/]+\/\w+\/(?:journal\.jsonl|lock\.\d+|(?:outputs|files)\/.+|hooks\/|.*\.md)$/;

export interface Grounds {
  readonly repository: string;
  readonly home: string;
  readonly temporary: string;
}

/** What a session has left that is not documented to stay, one sentence each; `git` is that of the checkout. */
export function remainsIn(
  grounds: Grounds,
  expected: ReadonlySet<string>,
  git: (...args: string[]) => string,
): string[] {
  const { repository, temporary, home } = grounds;
  const common = join(repository, ".git");
  const strange = (files: readonly string[], known: RegExp) => files.filter((file) => !known.test(file));
  const left = (what: string, files: readonly string[]) => files.map((file) => `${what} is left: ${file}`);
  const refs = git("for-each-ref", "--format=%(refname)").split("\n");
  const inGit = filesBelow(common).filter((file) => !file.startsWith("troupe/"));
  const locks = inGit.filter((file) => /\.lock$|^packed-refs\.new$|^worktrees\//.test(file));
  const trees = git("worktree", "list", "--porcelain")
    .split("\n")
    .filter((line) => line.startsWith("worktree "));
  const checkout = filesBelow(repository).filter((file) => !file.startsWith(".git/") && !expected.has(file));
  return [
    ...left(
      "a ref",
      refs.filter((ref) => ref !== "refs/heads/main" && !OUR_REF.test(ref)),
    ),
    ...left("a worktree", trees.slice(1)),
    ...left("in .git", locks),
    ...left("in .git/troupe", strange(filesBelow(join(common, "troupe")), OUR_FILE)),
    ...left("in the checkout", checkout),
    ...left("a temporary file", filesBelow(temporary)),
    ...left("in the home", strange(filesBelow(join(home, ".troupe")), HOME_FILE)),
  ];
}

/** Files and empty directories, relative, sorted. */
export function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const walk = (at: string): void => {
    const names = readdirSync(at).sort();
    if (names.length === 0 && at !== folder && !at.includes("/.git/")) found.push(`${relative(folder, at)}/`);
    for (const name of names) {
      const path = join(at, name);
      if (lstatSync(path).isDirectory()) walk(path);
      else found.push(relative(folder, path));
    }
  };
  try {
    walk(folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  return found;
}
