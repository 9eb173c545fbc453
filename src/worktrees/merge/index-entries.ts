import { hash } from "node:crypto";
import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { errorCode } from "../../lib/errors.ts";
import { unlessMissing } from "../../lib/on-disk.ts";
import { entriesAndNested } from "../checkout-snapshot.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { dropLocksOfKilled } from "../git-locks.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { chunks, copyIndex, withIndex } from "../side-index.ts";
import type { Committed, IndexEntry } from "./merge-journal.ts";

/** Returns entries by path; a missing file has none. */
export async function entriesOf(repo: Repository, index: string): Promise<ReadonlyMap<string, IndexEntry>> {
  const found = await entriesAndNested(repo, index, { plain: true, nested: false });
  return new Map(found.entries.map(({ path, mode, id }) => [path, { mode, id }]));
}

export function isSameEntry(one: IndexEntry, other: IndexEntry): boolean {
  return one?.mode === other?.mode && one?.id === other?.id;
}

/** The content of a lock of Troupe's, to recognise one that a crash left behind. */
const LOCKED_BY_US = "troupe\n";
const LOCKED_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** Runs under git's own lock of the user's index: no other git command can stage or start a commit. */
export async function withIndexLock<T>(
  { gitDir, top }: Repository,
  ground: GitEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  const lock = join(gitDir, "index.lock");
  await takeLock(lock, top, ground);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

export interface EntriesToSet {
  readonly entries: Committed["entries"];
  readonly way: "forth" | "back";
  /** Moves HEAD, or returns why it did not: no one can commit the index without it, before or after. */
  move(): Promise<string | null>;
}

/** `others`: unexpected entries, which are left alone; a merge then changes none. */
export type EntriesSet =
  | { readonly type: "set" | "others"; readonly others: readonly string[] }
  | { readonly type: "unmoved"; readonly why: string };

/**
 * Changes entries of the user's index that are still as expected, and HEAD with them. Call only under `withIndexLock`.
 */
export async function setEntries(
  repo: Repository,
  { entries, way, move }: EntriesToSet,
  ground: GitEnvironment,
): Promise<EntriesSet> {
  const real = join(repo.gitDir, "index");
  return withIndex(repo, ground, async (index): Promise<EntriesSet> => {
    copyIndex(real, index);
    const before = digestOf(real);
    const now = await entriesOf(repo, index);
    const wanted = entries.map(({ path, before: old, after }) =>
      way === "forth" ? { path, from: old, to: after } : { path, from: after, to: old },
    );
    const strange = wanted.filter(
      ({ path, from, to }) =>
        !isSameEntry(now.get(path) ?? null, from) && !isSameEntry(now.get(path) ?? null, to),
    );
    const others = strange.map(({ path }) => path);
    if (way === "forth" && others.length > 0) return { type: "others", others };
    const mine = wanted.filter(({ path, to }) => !isSameEntry(now.get(path) ?? null, to));
    const known = mine.filter((one) => !strange.includes(one));
    await writeEntries(repo, index, known, `The index of ${repo.top} could not be changed`);
    // Only so that git need not reread them; other changed files are not a failure.
    await repo.git.run(["update-index", "-q", "--refresh"], { index });
    if (digestOf(real) !== before) refuseRequest(`The index of ${repo.top} was changed at this very moment.`);
    const why = await move();
    if (why !== null) return { type: "unmoved", why };
    ground.disk.rename(index, real);
    return { type: "set", others };
  });
}

interface EntryToWrite {
  readonly path: string;
  /** Null removes it. */
  readonly to: IndexEntry;
}

/** `what`: what could not be done if git fails. */
async function writeEntries(
  { git }: Pick<Repository, "git">,
  index: string,
  entries: readonly EntryToWrite[],
  what: string,
): Promise<void> {
  const gone = entries.filter(({ to }) => to === null).map(({ path }) => path);
  const put = entries.flatMap(({ path, to }) => (to === null ? [] : [`${to.mode},${to.id},${path}`]));
  const commands = [
    ...chunks(gone, 200).map((some) => ["--force-remove", "--", ...some]),
    ...chunks(put, 200).map((some) => ["--add", "--replace", ...some.flatMap((one) => ["--cacheinfo", one])]),
  ];
  for (const args of commands) outputOf(await git.run(["update-index", ...args], { index }), what);
}

/** Returns a tree that is another one with these entries. `what`: what could not be done if git fails. */
export async function treeWith(
  repo: Pick<Repository, "git" | "common">,
  tree: string,
  entries: readonly EntryToWrite[],
  what: string,
  ground: GitEnvironment,
): Promise<string> {
  return withIndex(repo, ground, async (index) => {
    outputOf(await repo.git.run(["read-tree", tree], { index }), what);
    await writeEntries(repo, index, entries, what);
    return outputOf(await repo.git.run(["write-tree"], { index }), what).trim();
  });
}

/** Most git commands hold it for milliseconds; one that waits for an editor is not waited for. */
async function takeLock(lock: string, top: string, ground: GitEnvironment): Promise<void> {
  const until = ground.now() + LOCKED_MS;
  while (!made(lock)) {
    if (ground.now() >= until)
      refuseRequest(
        `Another git command is at work in ${top} (its index is locked); try again when it has ended.`,
      );
    await pause(LOOK_EVERY_MS);
  }
}

function made(lock: string): boolean {
  try {
    writeFileSync(lock, LOCKED_BY_US, { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
}

/** After a crash: git would not work there, and no branch could be moved. */
export async function dropOwnLocks(
  repo: Pick<Repository, "common" | "gitDir">,
  branch: string | null,
): Promise<void> {
  const lock = join(repo.gitDir, "index.lock");
  if (unlessMissing(() => readFileSync(lock, "utf8"), null) !== LOCKED_BY_US) return;
  await dropHeadLocks(repo, branch);
  rmSync(lock, { force: true });
}

/** Left by a git killed while it moved HEAD: no other can have started to, as the index is locked. */
export async function dropHeadLocks(
  { common, gitDir }: Pick<Repository, "common" | "gitDir">,
  branch: string | null,
): Promise<void> {
  const refs = branch === null ? [] : [join(common, "refs", "heads", `${branch}.lock`)];
  const since = lstatSync(join(gitDir, "index.lock")).mtimeMs;
  await dropLocksOfKilled([join(gitDir, "HEAD.lock"), ...refs], since, Number.POSITIVE_INFINITY);
}

function digestOf(file: string): string {
  return unlessMissing(() => hash("sha256", readFileSync(file)), "");
}
