import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../lib/errors.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { hasAllObjects } from "../gc-guard.ts";
import { mergeRef, ourFolder } from "../layout.ts";
import { withLock } from "../lock.ts";
import type { GitRequest, SuccessOf } from "../protocol.ts";
import { answered, GitRefusal, outputOf, refuseByGit, refuseRequest } from "../refusal.ts";
import { noteMerged } from "../tree-record.ts";
import { commonFolder } from "../worktree-location.ts";
import { type Candidate, checkoutOf, snapshotSides } from "./candidate.ts";
import { moveForth, prepareCommit } from "./commit.ts";
import { exchange } from "./exchange.ts";
import { type FileExchange, type FileMove, foldersOf, lstatOf } from "./file-state.ts";
import {
  type Committed,
  type MergeOutcome,
  type MergeStart,
  mergeStateOf,
  newMerge,
  record,
  setClosed,
  setOpen,
} from "./merge-journal.ts";
import { type LeftInPlace, revertExchange } from "./revert-exchange.ts";
import {
  disposeOf,
  forgetTakenBack,
  leftOver,
  notDone,
  recoverFailed,
  rollBackUnfinished,
} from "./roll-back.ts";
import { bytesFolder, keepUserForm, stageFiles } from "./stage.ts";
import { applyInSpiteOfOthers, type ChangedMeanwhile } from "./try-again.ts";
import { verifyFiles } from "./verify.ts";

type Applied = SuccessOf<"apply">;
type Clean = Extract<Candidate, { type: "clean" }>;

/** Merges the edits of a worktree into the checkout, all of them or none. One at a time per repository. */
export async function applyMerge(request: GitRequest<"apply">, ground: GitEnvironment): Promise<Applied> {
  const { checkout } = request.tree;
  const common = commonFolder(checkout) ?? (await checkoutOf(request.tree, ground)).common;
  return withLock(common, ground, async () => {
    const { notes } = await rollBackUnfinished(common, ground);
    const applied = await applyInSpiteOfOthers(common, request.tree, ground, async () =>
      // HEAD may have moved: by a merge that was rolled back, or by the user.
      applyLocked(await checkoutOf(request.tree, ground), request, ground),
    );
    return "notes" in applied ? { ...applied, notes: [...notes, ...applied.notes] } : applied;
  });
}

async function applyLocked(
  repo: Repository,
  request: GitRequest<"apply">,
  ground: GitEnvironment,
): Promise<Applied | ChangedMeanwhile> {
  const { common } = repo;
  const { tree, hold, expects } = request;
  const { candidate } = await snapshotSides(repo, { tree, checked: expects !== null, hold }, ground);
  if (candidate.type === "empty") {
    await noteMerged(common, tree.name);
    const none = { files: 0, insertions: 0, deletions: 0 };
    return { ...none, type: "merged", merge: ground.id(), commit: null, notes: [] };
  }
  if (expects !== null && candidate.checkout.tree !== expects) return { type: "moved" };
  const { counts, notes } = candidate;
  if (candidate.type === "conflict")
    return { ...counts, type: "conflict", conflicts: [...candidate.conflicts], notes: [...notes] };
  const merge = ground.id();
  const bytes = await bytesFolder(repo, merge);
  if (lstatOf(bytes) !== null) refuseRequest(`There is a merge ${merge} already; try again.`);
  mkdirSync(ourFolder(common), { recursive: true });
  setOpen(common, merge, bytes, ground.disk);
  const merged = (commit: string | null, more: readonly string[]): Applied => ({
    ...{ ...counts, type: "merged", merge, commit },
    notes: [...notes, ...more],
  });
  try {
    const outcome = await bringIn(repo, request, candidate, { merge, bytes }, ground).catch(failedBy);
    if (outcome.type === "merged") await noteMerged(common, tree.name);
    else await forgetTakenBack(repo, merge, bytes, outcome.left, ground.disk);
    setClosed(common, ground.disk);
    if (outcome.type === "merged") return merged(outcome.commit, outcome.notes);
    if (outcome.type === "changed") return outcome;
    throw outcome.left.length === 0
      ? outcome.why
      : new GitRefusal([outcome.why.message, ...outcome.left.map(leftOver)].join(" "));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const state = await recoverFailed(common, merge, ground);
    if (state !== "merged") return refuseRequest(notDone(repo, "brought into", state, error));
    const commit = mergeStateOf(common, merge)?.start.committed?.commit ?? null;
    return merged(commit, [`The merge is done; tidying up after it failed: ${String(error)}.`]);
  }
}

type Outcome =
  | { readonly type: "merged"; readonly commit: string | null; readonly notes: readonly string[] }
  | ChangedMeanwhile
  | { readonly type: "failed"; readonly why: GitRefusal; readonly left: readonly LeftInPlace[] };

/** Called before anything was written. */
function failedBy(why: unknown): Outcome {
  if (why instanceof GitRefusal) return { type: "failed", why, left: [] };
  throw why;
}

async function bringIn(
  repo: Repository,
  request: GitRequest<"apply">,
  candidate: Clean,
  { merge, bytes }: { merge: string; bytes: string },
  ground: GitEnvironment,
): Promise<Outcome> {
  const staged = await stagedWork(repo, request, candidate, bytes, ground);
  if (staged.type === "changed") return { ...staged, left: [] };
  await holdByRefs(repo, merge, request.tree.base, candidate, staged.committed, ground);
  const { tree, owner, title } = request;
  const { exchange: work, committed } = staged;
  const start: MergeStart = {
    ...{ type: "merge-start", merge, at: ground.now(), top: repo.top, gitDir: repo.gitDir },
    ...{ tree: tree.name, owner, title, exchange: work, committed },
  };
  newMerge(repo.common, merge, ground.disk);
  record(repo.common, merge, start, ground.disk);
  const renew = () => commitAnew(repo, request, candidate, merge, ground);
  const written = await write(repo, start, renew, ground);
  const end = (outcome: MergeOutcome, left: readonly LeftInPlace[]) =>
    record(repo.common, merge, { type: "merge-end", outcome, left: [...left] }, ground.disk);
  if (written.type !== "written") {
    end("taken back", written.left); // word-ok: as recorded
    return written;
  }
  for (const folder of foldersWritten(start.exchange)) ground.disk.sync(folder);
  end("merged", []);
  disposeOf({ start, state: "merged" }, ground.disk);
  const isThere = request.commit !== null && written.committed === null;
  const notes = isThere ? ["HEAD has all of these edits already, so no commit was made."] : [];
  return { type: "merged", commit: written.committed?.commit ?? null, notes };
}

interface Staged {
  readonly type: "staged";
  readonly exchange: FileExchange;
  readonly committed: Committed | null;
}

/** Prepares everything needed for the write, without touching the checkout. */
async function stagedWork(
  repo: Repository,
  { tree, commit }: GitRequest<"apply">,
  { plan, emptied, merged, edits }: Clean,
  bytes: string,
  ground: GitEnvironment,
): Promise<Staged | Omit<ChangedMeanwhile, "left">> {
  const committed =
    commit === null ? null : await prepareCommit(repo, { tree, edits, message: commit }, ground);
  const added = plan.flatMap(({ path, after }) => (after === null ? [] : [path]));
  await stageFiles(repo, merged, added, join(bytes, "stage"), ground);
  await keepUserForm(repo, plan, join(bytes, "stage"));
  mkdirSync(join(bytes, "aside"), { recursive: true });
  const proven = await verifyFiles(repo, plan, bytes, "stage");
  if (proven.type === "changed") return { type: "changed", what: `${proven.path} was changed` };
  const moves = [...proven.moves];
  const work = {
    root: repo.top,
    bytes,
    aside: "aside",
    moves,
    made: missingDirs(repo.top, moves),
    emptied: [...emptied],
  };
  return { type: "staged", exchange: work, committed };
}

/** Makes the commit again on the current HEAD and index. */
async function commitAnew(
  repo: Repository,
  { tree, commit }: GitRequest<"apply">,
  candidate: Clean,
  merge: string,
  ground: GitEnvironment,
): Promise<Committed | null> {
  const now = await checkoutOf(tree, ground);
  const message = commit ?? "";
  const committed = await prepareCommit(now, { tree, edits: candidate.edits, message }, ground);
  await holdByRefs(repo, merge, tree.base, candidate, committed, ground);
  record(repo.common, merge, { type: "merge-commit", committed }, ground.disk);
  return committed;
}

/** Keeps `git gc` from dropping what undo or history may need. */
async function holdByRefs(
  repo: Repository,
  merge: string,
  base: string,
  { checkout, merged, edits }: Clean,
  committed: Committed | null,
  ground: GitEnvironment,
): Promise<void> {
  const parents = [checkout.commit, edits, ...(committed === null ? [] : [committed.commit])];
  const of = parents.flatMap((parent) => ["-p", parent]);
  const said = async (args: readonly string[]) =>
    outputOf(await repo.git.run(args), "What was merged could not be kept");
  const id = (await said(["commit-tree", merged, ...of, "-m", `Merge ${merge}`])).trim();
  await said(["update-ref", mergeRef(merge, "before"), checkout.commit]);
  await said(["update-ref", mergeRef(merge, "after"), id]);
  const objects = [checkout.commit, checkout.tree, edits, merged];
  if (!(await hasAllObjects(repo.git.run, repo.common, id, base, objects, ground)))
    refuseByGit("git gc took away what was being merged; try again");
}

type Written =
  | { readonly type: "written"; readonly committed: Committed | null }
  | Exclude<Outcome, { type: "merged" }>;

/** Writes all or nothing; throws if the disk refuses the commit, to be rolled back as after a crash. */
async function write(
  repo: Repository,
  start: MergeStart,
  renew: () => Promise<Committed | null>,
  ground: GitEnvironment,
): Promise<Written> {
  const done = exchange(start.exchange, ground.disk);
  if (done.type === "changed") return { type: "changed", what: `${done.path} was changed`, left: done.left };
  if (done.type === "failed") {
    const why = new GitRefusal(`${done.path} could not be written: ${done.why}.`);
    return { type: "failed", why, left: done.left };
  }
  const { committed } = start;
  if (committed === null) return { type: "written", committed };
  const moved = await answered(() => moveForth(repo, committed, renew, ground));
  if (moved.type === "moved") return { type: "written", committed: moved.committed };
  const left = revertExchange(start.exchange, ground.disk);
  return moved.type === "refused"
    ? { type: "failed", why: new GitRefusal(moved.reason), left }
    : { type: "changed", what: moved.what, left };
}

function foldersWritten({ root, moves }: FileExchange): string[] {
  return [...new Set(moves.map(({ path }) => join(root, path, "..")))];
}

/** Returns directories that are missing, or still files, outer ones first. */
function missingDirs(top: string, moves: readonly FileMove[]): FileExchange["made"] {
  const wanted = moves.flatMap(({ path, after }) => (after === null ? [] : foldersOf(path)));
  return [...new Set(wanted)]
    .filter((folder) => lstatOf(join(top, folder))?.isDirectory() !== true)
    .sort((one, other) => one.split("/").length - other.split("/").length)
    .map((path) => ({ path, mode: null }));
}
