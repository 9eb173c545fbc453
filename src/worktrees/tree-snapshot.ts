import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import { filesOf } from "./changes.ts";
import type { GitEnvironment } from "./environment.ts";
import { hasAllObjects, isConnected } from "./gc-guard.ts";
import { keepIgnored } from "./ignored-chain.ts";
import { snapshotRef } from "./layout.ts";
import { leaveNestedOut } from "./left-out.ts";
import { withTreeLock } from "./lock.ts";
import type { ChangedFile, GitRequest, SuccessOf } from "./protocol.ts";
import { bothEnded, GitRefusal, outputOf, refuseByGit, refuseRequest } from "./refusal.ts";
import { dropLeftovers, openSideIndex, type SideIndex, seedFromTree } from "./side-index.ts";
import { headTrailer } from "./travel/bundle.ts";
import { addAll, addNamed } from "./tree-add.ts";
import { newHeads } from "./tree-heads.ts";
import { isBeingRemoved, readRecord, writeRecord } from "./tree-record.ts";
import { gitOn, locateWorktree, type TreeGit, type TreePlace } from "./worktree-location.ts";

/** Retries after an unreliable snapshot: a ref that moved, or an object that git has dropped. */
const TRIES = 4;

/**
 * Commits everything in a worktree on top of the last snapshot: first the objects, then the ref, then a check that
 * everything exists; only then the side index is kept for the next one. A crash in between loses nothing that a
 * response confirmed.
 */
export async function snapshotTree(
  request: GitRequest<"snapshot">,
  ground: GitEnvironment,
): Promise<TakenSnapshot> {
  const place = locateWorktree(request.tree);
  return withTreeLock(place.common, request.tree.name, ground, () => snapshotLocked(request, place, ground));
}

/** For callers that hold the worktree's lock. `doubted`: the chain is broken, so every file is reread. */
export async function snapshotLocked(
  { tree, files }: GitRequest<"snapshot">,
  place: TreePlace,
  ground: GitEnvironment,
  doubted = false,
): Promise<TakenSnapshot> {
  if (isBeingRemoved(place.common, tree.name))
    refuseRequest(`The worktree ${tree.path} is being removed; all of it is saved.`);
  if (lstatSync(tree.path, { throwIfNoEntry: false }) === undefined)
    refuseRequest(
      `${tree.path} was removed by another program. What was saved of it is in its snapshots; troupe worktrees restore ${tree.name} puts it back.`,
    );
  const git = gitOn(tree, place, ground);
  const record = await readRecord(place.common, tree.name);
  const named = files === null ? null : namedIn(tree, files, record?.linked ?? []);
  dropLeftovers(place.common, tree.name);
  for (let tries = 1; ; tries += 1) {
    const index = openSideIndex(place, tree, "index", ground);
    try {
      const [linked, complete] = [record?.linked ?? [], record?.at ?? 0];
      const travels = record?.travels ?? false;
      const scope: Scope = { tree, place, git, ground, index, linked, complete, travels };
      // The index may be the cause of a failure, so a retry rereads every file.
      const afresh = doubted || tries > 1;
      const taken = await take(scope, afresh ? null : named, afresh);
      const notes = await keepIgnored(git, place, tree, named, taken.ignored, ground);
      const { commit, changed } = taken;
      // The outcome of earlier edits does not apply to new ones.
      if (changed.length > 0 && record !== null && record.result !== null)
        await writeRecord(place.common, tree.name, { ...record, result: null });
      return { type: "taken", commit, changed, notes: [...taken.notes, ...notes] };
    } catch (error) {
      if (!(error instanceof GitRefusal)) throw error;
      if (tries === TRIES)
        refuseRequest(`The edits in ${tree.path} could not be snapshotted. ${error.message}`);
    } finally {
      index.drop();
    }
  }
}

type TakenSnapshot = SuccessOf<"snapshot">;

interface Scope {
  readonly tree: Worktree;
  readonly place: TreePlace;
  readonly git: TreeGit;
  readonly ground: GitEnvironment;
  readonly index: SideIndex;
  readonly linked: readonly string[];
  /** When the worktree was complete. */
  readonly complete: number;
  /** Its files go to another machine. */
  readonly travels: boolean;
}

interface Taken {
  readonly commit: string;
  readonly changed: ChangedFile[];
  readonly notes: readonly string[];
  /** True if named files may be ignored ones. */
  readonly ignored: boolean;
}

/** Throws if it must be retried. */
async function take(scope: Scope, named: readonly string[] | null, afresh: boolean): Promise<Taken> {
  const { tree, place, git, ground, index } = scope;
  const begun = index.begun && !afresh;
  const isReady = begun || (!afresh && (await seedFromTree(git, place, tree, index.file, scope.complete)));
  const addNow = async () => {
    const byName = named !== null && begun ? await addNamed(git, index.file, tree, named) : null;
    return {
      byName,
      all: isReady && byName === null ? await addAll(git, index.file, tree, scope.linked) : null,
    };
  };
  const [{ byName, all }, before] = await bothEnded(addNow(), readHeld(git, tree, afresh));
  if (!isReady) {
    index.drop();
    const read = await git(["read-tree", before.commit], { index: index.file });
    outputOf(read, "The index could not be begun");
  }
  const added =
    byName ??
    all ??
    (await addAll(git, index.file, tree, scope.linked)) ??
    refuseByGit("Files could not be added");
  index.forgetRecent();

  const heads = await newHeads(git, place, tree, before.head, before.commit);
  const isHeld = before.ref === null || before.ref === before.commit;
  const hasNone = (root: string) => isHeld && root === before.root && heads.tips.length === 0;
  const commit = async (root: string) =>
    hasNone(root) ? NOTHING_TO_DO : commitOf(git, tree, root, before.head, [before.commit, ...heads.tips]);
  const left = await leaveNestedOut(git, index.file, before.root, commit, scope.travels);
  const notes = [...added.notes, ...left.notes];
  const ignored = added.ignored || byName === null;
  if (hasNone(left.root)) {
    index.keep();
    return { commit: before.commit, changed: [], notes, ignored };
  }
  const id = outputOf(left.made, "A commit of them could not be made").trim();
  const moved = await git(["update-ref", snapshotRef(tree.name), id, before.ref ?? "0".repeat(id.length)]);
  outputOf(moved, "The newest snapshot could not be replaced");

  const objects = left.changes.flatMap(({ newMode, newId }) => (newMode === "000000" ? [] : [newId]));
  const isWhole = await hasAllObjects(git, place.common, id, before.commit, [left.root, ...objects], ground);
  if (!isWhole) refuseByGit("Objects of the snapshot were removed while it was taken");
  heads.remember();
  index.keep();
  return { commit: id, changed: filesOf(left.changes), notes, ignored };
}

const NOTHING_TO_DO = { code: 0, out: "", err: "" };

interface Held {
  /** The newest snapshot, or the base. */
  readonly commit: string;
  readonly root: string;
  /** The value of the ref; null if it does not exist. */
  readonly ref: string | null;
  /** The worktree's HEAD; null without a commit. */
  readonly head: string | null;
}

/**
 * Needs one command, unless a snapshot is damaged. `doubted`: finds the newest intact snapshot of a chain that git has
 * damaged; earlier ones stay held.
 */
async function readHeld(git: TreeGit, tree: Worktree, doubted: boolean): Promise<Held> {
  const ref = snapshotRef(tree.name);
  // Git's answer ends before the first that it cannot read.
  const asked = [...commitAndTree(tree.base), HEAD, ref, ...commitAndTree(ref)];
  const found = lines((await git(["rev-parse", "--revs-only", ...asked])).out);
  const [base, ofBase, head = null, newest, commit, root] = found;
  if (!doubted && commit !== undefined && root !== undefined) return { commit, root, ref: commit, head };
  if (!doubted && base !== undefined && ofBase !== undefined && head !== null && newest === undefined)
    return { commit: base, root: ofBase, ref: null, head };
  const broken = lines((await git(["rev-parse", "--revs-only", ref])).out)[0] ?? null;
  const whole = broken === null ? null : await newestWhole(git, ref, tree.base);
  const [first, itsRoot, own = null] = lines(
    (await git(["rev-parse", "--revs-only", ...commitAndTree(whole ?? tree.base), HEAD])).out,
  );
  if (first === undefined || itsRoot === undefined) return refuseByGit(`${tree.base} cannot be read`);
  return { commit: first, root: itsRoot, ref: broken, head: own };
}

const HEAD = "HEAD^{commit}";

function commitAndTree(of: string): string[] {
  return [`${of}^{commit}`, `${of}^{tree}`];
}

/** What an ancestor lacks, all later commits lack, so this is a binary search. */
async function newestWhole(git: TreeGit, ref: string, base: string): Promise<string | null> {
  const chain = lines((await git(["rev-list", "--first-parent", ref, "--not", base])).out);
  let [broken, whole] = [-1, chain.length];
  while (whole - broken > 1) {
    const middle = (whole + broken) >> 1;
    const commit = chain[middle];
    if (commit !== undefined && (await isConnected(git, commit, base))) whole = middle;
    else broken = middle;
  }
  return chain[whole] ?? null;
}

function lines(out: string): string[] {
  return out.split("\n").filter((line) => line !== "");
}

/** Names HEAD, so that a copy of the worktree on another machine can have the same. */
function commitOf(
  git: TreeGit,
  { name }: Worktree,
  root: string,
  head: string | null,
  parents: readonly string[],
) {
  const of = parents.flatMap((parent) => ["-p", parent]);
  const at = head === null ? [] : ["-m", headTrailer(head)];
  return git(["commit-tree", root, ...of, "-m", `Snapshot of ${name}`, ...at]);
}

/**
 * Returns the paths relative to the worktree, with `/`; null if one is inside only through a link, so that everything
 * must be checked.
 */
function namedIn(
  tree: Worktree,
  files: readonly string[],
  linked: readonly string[],
): readonly string[] | null {
  const found: string[] = [];
  for (const file of files) {
    const path = inTree(tree, file) ?? inTree(tree, reallyAt(file));
    if (path === null || path === "") return null;
    const isTheirs = linked.some((folder) => path === folder || path.startsWith(`${folder}/`));
    if (!isTheirs && path !== ".git") found.push(path);
  }
  return found;
}

function inTree(tree: Worktree, file: string): string | null {
  const path = relative(tree.path, file);
  return path === ".." || path.startsWith(`..${sep}`) ? null : path.split(sep).join("/");
}

function reallyAt(file: string): string {
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    // Its directory is gone by now.
    return file;
  }
}
