import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "../../src/worktrees/git.ts";
import { picture } from "../../test/worktrees/merge/files.ts";
import { must } from "../../test/worktrees/replay/merges-in.ts";

/** What is at each path: its mode and its bytes, or the target of a link. Directories are listed if they are empty. */
export type Entries = ReadonlyMap<string, string>;

export function readEntries(dir: string): Map<string, string> {
  // Git's own and Troupe's worktrees, also where the checkout is in a directory below.
  const isOurs = (path: string) => /(^|\/)\.(git|claude)(\/|$)/.test(path);
  const all = Object.entries(picture(dir, { times: false })).filter(([path]) => !isOurs(path));
  const paths = all.map(([path]) => path);
  const parents = new Set(paths.map((path) => path.slice(0, path.replace(/\/$/, "").lastIndexOf("/") + 1)));
  return new Map(all.filter(([path]) => !parents.has(path)));
}

/** The mode, and the bytes as latin1. */
export function splitEntry(entry: string): { readonly mode: string; readonly bytes: string } {
  const file = /^(\d+) {2}/.exec(entry);
  return file === null
    ? { mode: "", bytes: entry }
    : { mode: file[1] ?? "", bytes: entry.slice(file[0].length) };
}

/** What git keeps in its directory while something is in progress, and what the user has set there. */
const STATE = [
  ...["MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_LOG"],
  ...["rebase-merge", "rebase-apply", "sequencer", "config", "config.worktree", "info", "hooks"],
];

/**
 * What is the user's in the git directory, in lines: the branch and its commits, what is staged, marks on files, refs,
 * and operations in progress. A tool may put commits on top. `branch` is the tool's own.
 */
export async function readGitEntries(git: Git, branch: string | null, before?: Entries): Promise<Entries> {
  const dir = join(git.folder, ".git");
  const found = new Map<string, string>();
  const say = async (args: readonly string[]) => (await git.run(args)).out;
  const on = (await say(["symbolic-ref", "-q", "HEAD"])).trim();
  found.set(".git: HEAD", on === "" ? "detached" : on);
  found.set(".git: commit", await commitEntry(git, before?.get(".git: commit")));
  found.set(
    ".git: staged",
    await say(["diff-index", "--cached", "--no-renames", "--ignore-submodules=none", "HEAD"]),
  );
  found.set(".git: unmerged", await say(["ls-files", "-u"]));
  const marks = (await say(["ls-files", "-v"])).split("\n").filter((line) => /^[a-zS]/.test(line));
  found.set(".git: marks", marks.join("\n"));
  const refs = await must(git, ["for-each-ref", "--format=%(refname) %(objectname)"]);
  for (const line of refs.split("\n").filter(Boolean)) {
    const [name = "", id = ""] = line.split(" ");
    if (name !== on && name !== `refs/heads/${branch}` && !name.startsWith("refs/troupe/"))
      found.set(`.git: ${name}`, id);
  }
  for (const name of STATE) readState(dir, name, found);
  return found;
}

/** The commit that HEAD is, or still has below it. */
async function commitEntry(git: Git, before: string | undefined): Promise<string> {
  const now = (await must(git, ["rev-parse", "HEAD"])).trim();
  if (before === undefined) return now;
  const { code } = await git.run(["merge-base", "--is-ancestor", before, now]);
  return code === 0 ? before : now;
}

function readState(dir: string, name: string, into: Map<string, string>): void {
  const path = join(dir, name);
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) {
    for (const inner of readdirSync(path)) readState(dir, `${name}/${inner}`, into);
    return;
  }
  into.set(`.git: ${name}`, readFileSync(path, "latin1"));
}
