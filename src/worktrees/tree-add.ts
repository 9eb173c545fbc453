import { lstatSync } from "node:fs";
import { join } from "node:path";
import { exists } from "../lib/on-disk.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { oddPath, parts } from "./git.ts";
import { chunks } from "./side-index.ts";
import type { TreeGit } from "./worktree-location.ts";

/** Git's notes on what it could not add, empty if it added everything. Null if it added nothing. */
export type Added = { readonly notes: readonly string[]; readonly ignored: boolean } | null;

/** Not an edit: the file that Write or Edit was writing when it was killed. */
const UNFINISHED = ":(exclude,top,glob)**/.troupe-*.*.*-*-*-*-*-*.tmp";

/** Returns the pathspec of a whole worktree. `linked` are directories owned by others. */
export function allOf(linked: readonly string[]): readonly string[] {
  return [".", UNFINISHED, ...linked.map((folder) => `:(exclude,top,literal)${folder}`)];
}

/**
 * True if the worktree and an index have the files of a commit or a tree, so that nothing needs to be added. False if git cannot say.
 */
export async function hasFilesOf(
  git: TreeGit,
  index: string,
  from: string,
  linked: readonly string[],
): Promise<boolean> {
  const staged = ["diff-index", "--cached", "--name-only", "--ignore-submodules=none", from];
  const others = ["ls-files", "-m", "-d", "-o", "--exclude-standard", "--", ...allOf(linked)];
  const found = await Promise.all([others, staged].map((args) => git(args, { index })));
  return found.every(({ code, out, err }) => code === 0 && out === "" && err === "");
}

/** Adds every change: changed, new and deleted files. */
export async function addAll(
  git: TreeGit,
  index: string,
  tree: Worktree,
  linked: readonly string[],
): Promise<Added> {
  const where = allOf(linked);
  const { code, err } = await git(["add", "-A", "--sparse", "--ignore-errors", "--", ...where], { index });
  if (code === 0 || code === 1) return { notes: code === 0 ? [] : complaints(err), ignored: false };
  // One failing filter stops everything: then add all but the files it fails for.
  return addPiecewise(git, index, tree, where);
}

/** Adds these files, relative to the top; skips those that neither exist nor are tracked. */
export async function addNamed(
  git: TreeGit,
  index: string,
  tree: Worktree,
  named: readonly string[],
): Promise<Added> {
  const gone = named.filter((path) => !exists(join(tree.path, path)));
  const known = gone.length === 0 ? new Set<string>() : await knownOf(git, index, gone);
  const paths = named.filter((path) => !gone.includes(path) || known.has(path));
  if (paths.length === 0) return { notes: [], ignored: false };
  const { code, err } = await git(
    ["--literal-pathspecs", "add", "-A", "--sparse", "--ignore-errors", "--", ...paths],
    { index },
  );
  if (code !== 0 && code !== 1) return null;
  const ignored = err.includes("paths are ignored by one of your");
  return { notes: code === 0 || ignored ? [] : complaints(err), ignored };
}

async function knownOf(git: TreeGit, index: string, paths: readonly string[]): Promise<Set<string>> {
  const listed = await git(["--literal-pathspecs", "ls-files", "-z", "--", ...paths], { index });
  return new Set(parts(listed.out));
}

function complaints(err: string): string[] {
  const lines = err.split("\n").filter((line) => /^(error|warning): /.test(line));
  // Git prints the reason first, and then the file.
  const said = lines.filter((line) => !/^error: unable to index file /.test(line));
  return said.map((line) => `Not in the snapshot: ${line.replace(/^(error|warning): /, "")}.`);
}

async function addPiecewise(
  git: TreeGit,
  index: string,
  tree: Worktree,
  where: readonly string[],
): Promise<Added> {
  const listed = await git(["ls-files", "-z", "-m", "-d", "-o", "--exclude-standard", "--", ...where], {
    index,
  });
  if (listed.code !== 0) return null;
  const notes: string[] = [];
  const waiting = chunks([...new Set(parts(listed.out))], 256);
  for (let some = waiting.pop(); some !== undefined; some = waiting.pop()) {
    const args = ["--literal-pathspecs", "add", "-A", "--sparse", "--ignore-errors", "--", ...some];
    const { code, err } = await git(args, { index });
    if (code === 1) notes.push(...complaints(err));
    if (code === 0 || code === 1) continue;
    const [path = ""] = some;
    if (some.length > 1) waiting.push(...chunks(some, Math.ceil(some.length / 2)));
    else notes.push(await addRaw(git, index, tree, path, err));
  }
  return { notes, ignored: false };
}

/** Adds the raw bytes: better than nothing, and the note says so. */
async function addRaw(
  git: TreeGit,
  index: string,
  tree: Worktree,
  path: string,
  err: string,
): Promise<string> {
  const why =
    err
      .split("\n")
      .at(-1)
      ?.replace(/^(fatal|error): /, "") ?? "";
  const stat = oddPath(path) ? undefined : lstatSync(join(tree.path, path), { throwIfNoEntry: false });
  if (!stat?.isFile()) return `Not in the snapshot: ${path} (${why}).`;
  const mode = stat.mode & 0o100 ? "100755" : "100644";
  const made = await git(["hash-object", "-w", "--no-filters", "--", path], { index });
  const entry = `${mode},${made.out.trim()},${path}`;
  const put = made.code === 0 ? await git(["update-index", "--add", "--cacheinfo", entry], { index }) : made;
  return put.code === 0
    ? `${path} is in the snapshot as it is, without the filter that git should run (${why}).`
    : `Not in the snapshot: ${path} (${why}).`;
}
