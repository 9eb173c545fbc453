import { constants } from "node:fs";
import { copyFile, cp, lstat, mkdir, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { Repository } from "./environment.ts";
import { type Git, oddPath, parts } from "./git.ts";
import { treesFolder } from "./layout.ts";
import type { GitRequest } from "./protocol.ts";

/** Ignored files that a worktree needs to build and that git does not copy (C14). */
export interface Along {
  readonly repo: Repository;
  readonly tree: Worktree;
  /** Runs in the worktree. */
  readonly git: Git;
  readonly dependencies: GitRequest<"create">["dependencies"];
  readonly signal: AbortSignal | undefined;
  readonly limits?: { readonly files: number; readonly bytes: number };
}

export interface CopiedFiles {
  /** Copied paths that git does not ignore in the worktree; snapshots must leave them out. */
  readonly linked: readonly string[];
  readonly notes: readonly string[];
}

/** Patterns in .gitignore syntax, at the top of the checkout: ignored files to copy. */
export const INCLUDE_FILE = ".worktreeinclude";
const LIMITS = { files: 10_000, bytes: 500 * 1024 ** 2 };

export async function copyIgnored(along: Along): Promise<CopiedFiles> {
  const listed = await included(along);
  const notes = [...listed.notes];
  const copied = await copyFiles(along, listed.paths, notes);
  const folders = await bringFolders(along, notes);
  if (copied + folders === 0) return { linked: [], notes };
  // The worktree was clean, so what git sees now was copied.
  const args = ["ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z"];
  const seen = parts((await along.git.run(args)).out);
  return { linked: seen.map((path) => path.replace(/\/$/, "")), notes };
}

/** Returns the untracked files that the patterns name, without those git would show. */
async function included({
  repo,
  signal,
}: Along): Promise<{ readonly paths: readonly string[]; readonly notes: readonly string[] }> {
  const file = join(repo.top, INCLUDE_FILE);
  if (!(await isFile(file))) return { paths: [], notes: [] };
  const others = ["ls-files", "--others", "-z"];
  const named = await repo.git.run([...others, "--ignored", `--exclude-from=${file}`], { signal });
  const shown = await repo.git.run([...others, "--exclude-standard"], { signal });
  if (named.code !== 0 || shown.code !== 0)
    return { paths: [], notes: [`${INCLUDE_FILE} could not be followed: ${named.err || shown.err}`] };
  const notOurs = new Set(parts(shown.out));
  const ours = `${treesFolder(repo.top).slice(repo.top.length + 1)}/`;
  // A path that ends in a slash is a nested repository.
  const paths = parts(named.out).filter(
    (path) => !notOurs.has(path) && !path.endsWith("/") && !path.startsWith(ours),
  );
  const odd = paths.filter(oddPath);
  const note = `${odd.length} ${odd.length === 1 ? "file" : "files"} that ${INCLUDE_FILE} names did not come along, because their names are not UTF-8.`;
  return { paths: paths.filter((path) => !oddPath(path)), notes: odd.length === 0 ? [] : [note] };
}

/** Returns the number of copied files. */
async function copyFiles(
  { repo, tree, signal, limits = LIMITS }: Along,
  paths: readonly string[],
  notes: string[],
): Promise<number> {
  let files = 0;
  let bytes = 0;
  for (const path of paths) {
    signal?.throwIfAborted();
    const from = join(repo.top, path);
    const stat = await lstat(from).catch(() => null);
    if (stat === null || !(stat.isFile() || stat.isSymbolicLink())) continue;
    if (files >= limits.files || bytes + stat.size > limits.bytes) {
      notes.push(
        `Of ${paths.length} files that ${INCLUDE_FILE} names, ${files} came along: more than ${limits.files} files or ${Math.floor(limits.bytes / 1024 ** 2)} MB are not copied; name fewer, or link their directory.`,
      );
      break;
    }
    if (!(await standsFree(tree.path, path))) continue;
    if (stat.isSymbolicLink()) await symlink(await readlink(from), join(tree.path, path));
    else await copyFile(from, join(tree.path, path), COPY);
    files += 1;
    bytes += stat.size;
  }
  return files;
}

const COPY = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Returns the number of copied or linked directories. */
async function bringFolders({ repo, tree, dependencies, signal }: Along, notes: string[]): Promise<number> {
  let count = 0;
  for (const { folder, how } of dependencies) {
    signal?.throwIfAborted();
    const why = await whyNot(repo, tree, folder);
    if (why === "") continue;
    if (why !== null) {
      notes.push(why);
      continue;
    }
    const [from, to] = [join(repo.top, folder), join(tree.path, folder)];
    if (how === "link") await symlink(from, to, "junction");
    else await copyFolder(from, to, signal);
    count += 1;
  }
  return count;
}

/** Returns why a directory cannot be copied, an empty string if there is nothing to copy, or null if it can be. */
async function whyNot(repo: Repository, tree: Worktree, folder: string): Promise<string | null> {
  const segments = folder.split("/");
  if (segments.some((part) => ["", ".", "..", ".git"].includes(part)) || folder.includes("\\"))
    return `${JSON.stringify(folder)} is not brought along: a directory below the checkout is expected, as "node_modules".`;
  const from = join(repo.top, folder);
  const stat = await lstat(from).catch(() => null);
  if (stat === null) return "";
  if (treesFolder(repo.top) === from || treesFolder(repo.top).startsWith(`${from}/`))
    return `${folder} is not copied: the worktrees are in it.`;
  if (!stat.isDirectory() && !stat.isSymbolicLink())
    return `${folder} is not brought along: it is no directory.`;
  const ignored = await repo.git.run(["check-ignore", "-q", "--", folder]);
  if (ignored.code !== 0)
    return `${folder} is not brought along: git does not ignore it, so it comes by itself.`;
  return (await standsFree(tree.path, folder))
    ? null
    : `${folder} is not brought along: it is in the worktree already.`;
}

/**
 * Checks that the path is free below real directories, and makes missing ones: writing through a link would leave the
 * worktree.
 */
async function standsFree(top: string, path: string): Promise<boolean> {
  const above = dirname(path).split("/");
  let at = top;
  for (const segment of above[0] === "." ? [] : above) {
    at = join(at, segment);
    const stat = await lstat(at).catch(() => null);
    if (stat === null) await mkdir(at);
    else if (!stat.isDirectory()) return false;
  }
  return (await lstat(join(top, path)).catch(() => null)) === null;
}

/** Copies links as links; skips nested repositories. */
async function copyFolder(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    errorOnExist: true,
    force: false,
    mode: constants.COPYFILE_FICLONE,
    filter: async (source) => {
      signal?.throwIfAborted();
      return (await lstat(join(source, ".git")).catch(() => null)) === null;
    },
  });
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isFile() ?? false;
}
