import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CheckoutEntry, entriesAndNested } from "./checkout-entries.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { failedFilter } from "./fill.ts";
import { gcHasEnded } from "./gc-guard.ts";
import { type GitAnswer, oddPath } from "./git.ts";
import { ourFolder, treesFolder } from "./layout.ts";
import { isRefused, lastLine, refused } from "./repository.ts";
import type { Refused } from "./requests.ts";
import { chunks, copyIndex } from "./side-index.ts";

/** All that is in a checkout, as git would take it. */
export interface CheckoutSnapshot {
  readonly type: "taken";
  readonly commit: string;
  readonly tree: string;
  /** What was left out. */
  readonly notes: string[];
  /** Files that a sparse checkout leaves out: in the tree, not on the disk. */
  readonly absent: ReadonlySet<string>;
}

/** A file may go, or be half renamed, while git looks at it: an editor that saves; or `git gc` takes what was just added. */
const TRIES = 3;
/** A split index would leave files beside the person's own. */
const ONE_FILE = ["-c", "core.splitIndex=false"];

/**
 * HEAD, what is staged, what is not, and what git does not know yet, as one commit of ours. The person's index is only
 * read. Repositories within it are left out; where HEAD has one as a submodule it stays what it was.
 */
export async function snapshotCheckout(
  repo: Repository,
  parents: readonly string[],
  ground: GitEnvironment,
): Promise<CheckoutSnapshot | Refused> {
  mkdirSync(ourFolder(repo.common), { recursive: true });
  const index = join(ourFolder(repo.common), `checkout-${ground.self.pid}-${ground.id()}`);
  for (let attempt = 1; ; attempt += 1)
    try {
      const taken = await takeInto(repo, parents, index);
      if (!("err" in taken)) return taken;
      if (attempt === TRIES) return refused(cannot(repo, taken));
      await gcHasEnded(repo.common, ground);
    } finally {
      for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
    }
}

/** What git says, where what it has added cannot be read any more. */
async function takeInto(
  repo: Repository,
  parents: readonly string[],
  index: string,
): Promise<CheckoutSnapshot | Refused | GitAnswer> {
  // The copy is as old as the original: else a change of the second it was written in is never seen.
  copyIndex(join(repo.gitDir, "index"), index);
  const found = await entriesAndNested(repo, index, { plain: false, nested: false });
  if (isRefused(found)) return found;
  const { entries } = found;
  const unmerged = entries.filter(({ tag }) => tag === "M");
  if (unmerged.length > 0) return refused(conflictsOpen(repo, unmerged));
  const absent = await unhide(repo, index, entries);
  if (isRefused(absent)) return absent;
  const added = await addAll(repo, index, entries);
  if (isRefused(added)) return added;

  const written = await repo.git.run([...ONE_FILE, "write-tree"], { index });
  if (written.code !== 0) return written;
  const tree = written.out.trim();
  const of = parents.flatMap((parent) => ["-p", parent]);
  const made = await repo.git.run(["commit-tree", tree, ...of, "-m", "What was in the checkout"]);
  if (made.code !== 0) return made;
  return { type: "taken", commit: made.out.trim(), tree, notes: added, absent };
}

/**
 * Marks that tell git not to look at a file are taken off, in the copy: what a person hid from git is in the checkout
 * all the same. What a sparse checkout leaves out is not there, and keeps its mark. Answers with those.
 */
async function unhide(
  repo: Repository,
  index: string,
  entries: readonly CheckoutEntry[],
): Promise<ReadonlySet<string> | Refused> {
  const assumed = entries.filter(({ tag }) => /[a-z]/.test(tag)).map(({ path }) => path);
  const skipped = entries.filter(({ tag }) => /[Ss]/.test(tag)).map(({ path }) => path);
  const here = skipped.filter((path) => isThere(join(repo.top, path)));
  for (const [how, paths] of [
    ["--no-assume-unchanged", assumed],
    ["--no-skip-worktree", here],
  ] as const)
    for (const some of chunks(paths, 500)) {
      const done = await repo.git.run([...ONE_FILE, "update-index", how, "--", ...some], { index });
      if (done.code !== 0) return refused(cannot(repo, done));
    }
  const there = new Set(here);
  return new Set(skipped.filter((path) => !there.has(path)));
}

/** What was left out, in sentences. */
async function addAll(
  repo: Repository,
  index: string,
  entries: readonly CheckoutEntry[],
): Promise<string[] | Refused> {
  const submodules = entries.filter(({ mode }) => mode === "160000").map(({ path }) => path);
  let out = submodules;
  let looked = false;
  for (let attempt = 1; ; attempt += 1) {
    const added = await repo.git.run([...ONE_FILE, "add", "-A", "-v", "--sparse", ...without(out)], {
      index,
    });
    // A repository in it is named with a slash at its end, as no file can be.
    const met = added.code !== 0 || (!looked && /\/'$/m.test(added.out));
    if (!met) return notesOn(repo, out, submodules);
    if (attempt > TRIES) return refused(await cannotAdd(repo, added));
    // Begun anew: git may have noted the repository as a submodule.
    copyIndexAgain(repo, index);
    const again = await entriesAndNested(repo, index, { plain: false, nested: true });
    if (isRefused(again)) return again;
    const odd = again.nested.find(oddPath);
    if (odd !== undefined)
      return refused(
        `The name of a repository within ${repo.top} is not UTF-8 (${odd}), so it cannot be left out.`,
      );
    const hidden = await unhide(repo, index, again.entries);
    if (isRefused(hidden)) return hidden;
    out = [...submodules, ...again.nested];
    looked = true;
  }
}

function copyIndexAgain(repo: Repository, index: string): void {
  rmSync(index, { force: true });
  copyIndex(join(repo.gitDir, "index"), index);
}

function without(paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : ["--", ".", ...paths.map((path) => `:(top,exclude,literal)${path}`)];
}

/** A submodule without files has nothing that could be missed, and trees of agents come back by themselves. */
function notesOn({ top }: Repository, out: readonly string[], submodules: readonly string[]): string[] {
  const known = new Set(submodules);
  const missed = out.filter((path) =>
    known.has(path) ? isThere(join(top, path, ".git")) : dirname(join(top, path)) !== treesFolder(top),
  );
  return missed.map((path) =>
    known.has(path)
      ? `${path} is a submodule: what was changed in it is left out.`
      : `${path} is a repository of its own and is left out.`,
  );
}

function conflictsOpen(repo: Repository, entries: readonly CheckoutEntry[]): string {
  const paths = [...new Set(entries.map(({ path }) => path))];
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return `${repo.top} has conflicts that are not resolved yet (${paths.slice(0, 3).join(", ")}${more}); resolve them first.`;
}

function cannot(repo: Repository, { err }: GitAnswer): string {
  return `What is in ${repo.top} could not be snapshotted (git says: ${lastLine(err)}).`;
}

/** Of a filter that is missing git may say no more than that somebody hung up. */
async function cannotAdd(repo: Repository, added: GitAnswer): Promise<string> {
  const filter = await failedFilter(repo.git, added.err);
  return filter === undefined
    ? cannot(repo, added)
    : `What is in ${repo.top} could not be snapshotted, as its filter "${filter}" could not run; install what it needs, or take it out of git's configuration.`;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
