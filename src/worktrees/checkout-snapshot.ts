import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { exists } from "../lib/on-disk.ts";
import { listSome } from "../lib/text.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { failedFilter } from "./fill.ts";
import { type GitAnswer, oddPath, parts } from "./git.ts";
import { treesFolder } from "./layout.ts";
import { leaveSecretsOut } from "./left-out.ts";
import { outputOf, refuseRequest } from "./refusal.ts";
import { copyIndex, showHidden, withIndex } from "./side-index.ts";
import type { TreeGit } from "./worktree-location.ts";

/** The whole content of a checkout, as git would add it. */
export interface CheckoutSnapshot {
  readonly commit: string;
  readonly tree: string;
  /** Says what was left out. */
  readonly notes: string[];
  /** Files left out by a sparse checkout: in the tree but not on disk. */
  readonly absent: ReadonlySet<string>;
}

interface SnapshotOptions {
  readonly travels?: boolean;
  readonly like?: Promise<Pick<CheckoutSnapshot, "commit" | "tree">> | null;
}

/** A split index would leave files next to the user's own. */
const ONE_FILE = ["-c", "core.splitIndex=false"];

/**
 * Writes HEAD, staged, unstaged and untracked files as one commit; only reads the user's index. Leaves nested
 * repositories out; one that HEAD has as a submodule keeps its commit. `travels`: it leaves this machine, so untracked
 * files with secrets are left out. `like`: a commit that is used if it has the same content.
 */
export async function snapshotCheckout(
  repo: Repository,
  parents: readonly string[],
  ground: GitEnvironment,
  { travels = false, like = null }: SnapshotOptions = {},
): Promise<CheckoutSnapshot> {
  return withIndex(repo, ground, async (index) => {
    // The copy keeps the original's time; otherwise git would never see a change made in the same second.
    copyIndex(join(repo.gitDir, "index"), index);
    const { entries } = await entriesAndNested(repo, index, { plain: false, nested: false });
    const unmerged = entries.filter(({ tag }) => tag === "M");
    if (unmerged.length > 0) refuseRequest(conflictsOpen(repo, unmerged));
    const absent = await unhide(repo, index, entries);
    const notes = await addAll(repo, index, entries);
    const said = async (args: readonly string[]) =>
      outputOf(await repo.git.run(args, { index }), cannot(repo)).trim();
    const write = () => said([...ONE_FILE, "write-tree"]);
    let tree = await write();
    const known = await like;
    // What is equal to a commit has no untracked files.
    if (travels && tree !== known?.tree) {
      const left = await leaveSecretsOut(repo, index);
      if (left.length > 0) tree = await write();
      notes.push(...left);
    }
    if (known !== null && tree === known.tree) return { commit: known.commit, tree, notes, absent };
    const of = parents.flatMap((parent) => ["-p", parent]);
    const commit = await said(["commit-tree", tree, ...of, "-m", "What was in the checkout"]);
    return { commit, tree, notes, absent };
  });
}

/** Shows git, in the copy of the index, what its marks hide. Returns what a sparse checkout leaves out. */
async function unhide(
  repo: Repository,
  index: string,
  entries: readonly CheckoutEntry[],
): Promise<ReadonlySet<string>> {
  const git: TreeGit = (args, options) => repo.git.run([...ONE_FILE, ...args], options);
  const { absent, failed } = await showHidden(git, index, repo.top, entries);
  if (failed !== null) outputOf(failed, cannot(repo));
  return absent;
}

/** Adds every file; returns notes on what was left out. */
async function addAll(repo: Repository, index: string, entries: readonly CheckoutEntry[]): Promise<string[]> {
  const submodules = entries.filter(({ mode }) => mode === "160000").map(({ path }) => path);
  const add = (out: readonly string[]) =>
    repo.git.run([...ONE_FILE, "add", "-A", "-v", "--sparse", ...without(out)], { index });
  const first = await add(submodules);
  // Git prints a nested repository with a trailing slash, which no file name has.
  if (first.code === 0 && !/\/'$/m.test(first.out)) return notesOn(repo, submodules, submodules);
  // Starts over: git may have added the repository as a submodule.
  rmSync(index, { force: true });
  copyIndex(join(repo.gitDir, "index"), index);
  const again = await entriesAndNested(repo, index, { plain: false, nested: true });
  const odd = again.nested.find(oddPath);
  if (odd !== undefined)
    refuseRequest(
      `The name of a repository within ${repo.top} is not UTF-8 (${odd}), so it cannot be left out.`,
    );
  await unhide(repo, index, again.entries);
  const out = [...submodules, ...again.nested];
  const second = await add(out);
  if (second.code !== 0) await refuseToAdd(repo, second);
  return notesOn(repo, out, submodules);
}

function without(paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : ["--", ".", ...paths.map((path) => `:(top,exclude,literal)${path}`)];
}

/** A submodule without files misses nothing, and agents' worktrees are merged separately. */
function notesOn({ top }: Repository, out: readonly string[], submodules: readonly string[]): string[] {
  const known = new Set(submodules);
  const missed = out.filter((path) =>
    known.has(path) ? exists(join(top, path, ".git")) : dirname(join(top, path)) !== treesFolder(top),
  );
  return missed.map((path) =>
    known.has(path)
      ? `${path} is a submodule: what was changed in it is left out.`
      : `${path} is a repository of its own and is left out.`,
  );
}

function conflictsOpen(repo: Repository, entries: readonly CheckoutEntry[]): string {
  const paths = [...new Set(entries.map(({ path }) => path))];
  return `${repo.top} has conflicts that are not resolved yet (${listSome(paths, 3)}); resolve them first.`;
}

function cannot({ top }: Repository): string {
  return `What is in ${top} could not be snapshotted`;
}

/** A file may have vanished or been half renamed while git read it. Git says almost nothing about a missing filter. */
async function refuseToAdd(repo: Repository, added: GitAnswer): Promise<void> {
  const filter = await failedFilter(repo.git, added.err);
  if (filter === undefined) outputOf(added, cannot(repo));
  refuseRequest(
    `${cannot(repo)}, as its filter "${filter}" could not run; install what it needs, or take it out of git's configuration.`,
  );
}

/** One entry of an index. */
export interface CheckoutEntry {
  /**
   * The tag of `git ls-files -v`: `M` unmerged, `S` skipped by a sparse checkout, lower case if git must not look at
   * it.
   */
  readonly tag: string;
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

export interface Entries {
  readonly entries: readonly CheckoutEntry[];
  /** Nested repositories that git does not track, without a trailing slash; only if asked for. */
  readonly nested: readonly string[];
}

/** Selects entries: a checkout has tens of thousands, and most are plain. */
export interface Wanted {
  /** Also files and links that are neither unmerged nor hidden from git. */
  readonly plain: boolean;
  /** Also nested repositories; this walks the checkout. */
  readonly nested: boolean;
}

const PLAIN = /^H 1[02]0/;

/** Returns the entries of an index. */
export async function entriesAndNested(
  repo: Repository,
  index: string,
  { plain, nested }: Wanted,
): Promise<Entries> {
  const others = nested ? ["-o", "--exclude-standard"] : [];
  const listed = await repo.git.run(["ls-files", "-v", "-s", "-z", ...others], { index });
  const entries: CheckoutEntry[] = [];
  const found: string[] = [];
  for (const part of parts(outputOf(listed, `The index of ${repo.top} could not be read`))) {
    if (!plain && PLAIN.test(part)) continue;
    const tab = part.indexOf("\t");
    const [tag = "", mode = "", id = "", stage] = part.slice(0, Math.max(tab, 0)).split(" ");
    if (stage === undefined || tag === "?") {
      // Only a directory that git does not enter ends in a slash.
      if (part.endsWith("/")) found.push(part.replace(/^\? /, "").slice(0, -1));
      continue;
    }
    const path = part.slice(tab + 1);
    if (/[a-zMS]/.test(tag) && oddPath(path))
      refuseRequest(`The name of ${path} in ${repo.top} is not UTF-8, so it cannot be kept safe.`);
    entries.push({ tag, mode, id, path });
  }
  return { entries, nested: found };
}
