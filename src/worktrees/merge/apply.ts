import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../lib/errors.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { allThere, isConnected } from "../gc-guard.ts";
import { mergeRef, ourFolder } from "../layout.ts";
import { withLock } from "../lock.ts";
import { isRefused, refused } from "../repository.ts";
import type { ApplyAnswer, ApplyRequest, Refused } from "../requests.ts";
import { noteMerged } from "../tree-record.ts";
import { type Candidate, checkoutOf } from "./candidate.ts";
import { moveForth, prepareCommit, type ToCommit } from "./commit.ts";
import { type Disk, realDisk } from "./disk.ts";
import { exchange } from "./exchange.ts";
import { lstatOf } from "./file-state.ts";
import { lastLineOf } from "./git-words.ts";
import {
  type Committed,
  type MergeStart,
  mergeStateOf,
  newMerge,
  record,
  setClosed,
  setOpen,
} from "./journal.ts";
import { missingDirs } from "./missing-dirs.ts";
import type { Exchange } from "./moves.ts";
import { notDone, recoverFailed } from "./recover.ts";
import { type Left, revertExchange } from "./revert-exchange.ts";
import { disposeOf, forgetTakenBack, leftOver, rollBackUnfinished } from "./roll-back.ts";
import { snapshotSides } from "./snapshot-sides.ts";
import { bytesFolder, stageFiles } from "./stage.ts";
import { applyInSpiteOfOthers, type Changed, GC_TOOK } from "./try-again.ts";
import { verifyFiles } from "./verify.ts";

type Clean = Extract<Candidate, { type: "clean" }>;

/** The edits of a tree are in the checkout, all of them, or nothing was changed there. One at a time in a repository. */
export async function applyMerge(
  request: ApplyRequest,
  ground: GitEnvironment,
  disk: Disk = realDisk,
): Promise<ApplyAnswer> {
  const repo = await checkoutOf(request.tree, ground);
  if (isRefused(repo)) return repo;
  return withLock<ApplyAnswer>(repo.common, ground, async () => {
    const { merges, notes } = await rollBackUnfinished(repo.common, ground, disk);
    // What was taken back may have moved HEAD.
    const now = merges.length === 0 ? repo : await checkoutOf(request.tree, ground);
    if (isRefused(now)) return now;
    let looked: Repository | null = now;
    const answer = await applyInSpiteOfOthers(now, request, ground, async () => {
      // The person may have committed since the first time.
      const repo = looked ?? (await checkoutOf(request.tree, ground));
      looked = null;
      return isRefused(repo) ? repo : applyLocked(repo, request, ground, disk);
    });
    return "notes" in answer ? { ...answer, notes: [...notes, ...answer.notes] } : answer;
  });
}

async function applyLocked(
  repo: Repository,
  request: ApplyRequest,
  ground: GitEnvironment,
  disk: Disk,
): Promise<ApplyAnswer | Changed> {
  const { tree, hold, expects } = request;
  const both = await snapshotSides(repo, { tree, checked: expects !== null, hold }, ground);
  if (isRefused(both)) return both;
  const { candidate } = both;
  if (candidate.type === "empty") return nothingToDo(repo, request, ground);
  if (expects !== null && candidate.checkout.tree !== expects) return { type: "moved" };
  const { counts, notes } = candidate;
  if (candidate.type === "conflict")
    return { ...counts, type: "conflict", conflicts: [...candidate.conflicts], notes: [...notes] };
  const merge = ground.id();
  const place = await bytesFolder(repo, merge);
  if (isRefused(place)) return place;
  const { bytes } = place;
  if (lstatOf(bytes) !== null) return refused(`There is a merge ${merge} already; try again.`);
  mkdirSync(ourFolder(repo.common), { recursive: true });
  setOpen(repo.common, merge, bytes, disk);
  try {
    const outcome = await bringIn(repo, request, candidate, { merge, bytes }, ground, disk);
    if (outcome.type === "merged") await noteMerged(repo.common, request.tree.name);
    else await forgetTakenBack(repo, merge, bytes, outcome.left, disk);
    setClosed(repo.common, disk);
    return answerTo(candidate, outcome, merge);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const state = await recoverFailed(repo.common, merge, ground, disk);
    if (state !== "merged") return refused(notDone(repo, "brought into", state, error));
    const notes = [`The merge is done; tidying up after it failed: ${String(error)}.`];
    const commit = mergeStateOf(repo.common, merge)?.start.committed?.commit ?? null;
    return answerTo(candidate, { type: "merged", commit, notes }, merge);
  }
}

type Outcome =
  | { readonly type: "merged"; readonly commit: string | null; readonly notes: readonly string[] }
  | Changed
  | { readonly type: "refused"; readonly reason: string; readonly left: readonly Left[] };

function answerTo({ counts, notes }: Clean, outcome: Outcome, merge: string): ApplyAnswer | Changed {
  switch (outcome.type) {
    case "merged":
      return {
        ...counts,
        type: "merged",
        merge,
        commit: outcome.commit,
        notes: [...notes, ...outcome.notes],
      };
    case "changed":
      return outcome;
    case "refused":
      return refused([outcome.reason, ...outcome.left.map(leftOver)].join(" "));
    default:
      return outcome satisfies never;
  }
}

async function bringIn(
  repo: Repository,
  request: ApplyRequest,
  candidate: Clean,
  { merge, bytes }: { merge: string; bytes: string },
  ground: GitEnvironment,
  disk: Disk,
): Promise<Outcome> {
  const staged = await stagedWork(repo, request, candidate, bytes, ground);
  if (staged.type !== "staged") return { ...staged, left: [] };
  const held = await holdByRefs(repo, merge, request.tree.base, candidate, staged.committed, ground);
  if (held !== null) return { ...held, left: [] };
  const start = startOf(repo, request, merge, staged, ground);
  newMerge(repo.common, merge, disk);
  record(repo.common, merge, start, disk);
  const renew = () => commitAnew(repo, request, candidate, merge, ground, disk);
  const written = await write(repo, start, renew, ground, disk);
  const end = (outcome: "merged" | "taken back", left: readonly Left[]) =>
    record(repo.common, merge, { type: "merge-end", outcome, left: [...left] }, disk);
  if (written.type !== "written") {
    end("taken back", written.left);
    return written.type === "changed" ? written : { ...written, type: "refused" };
  }
  for (const folder of foldersWritten(start.exchange)) disk.sync(folder);
  end("merged", []);
  disposeOf({ start, state: "merged" }, disk);
  const isThere = request.commit !== null && written.committed === null;
  const notes = isThere ? ["HEAD has all of these edits already, so no commit was made."] : [];
  return { type: "merged", commit: written.committed?.commit ?? null, notes };
}

interface Staged {
  readonly type: "staged";
  readonly exchange: Exchange;
  readonly committed: Committed | null;
}

/** All that is needed to write it, without having written anything. */
async function stagedWork(
  repo: Repository,
  { tree, commit }: ApplyRequest,
  { plan, emptied, merged, edits }: Clean,
  bytes: string,
  ground: GitEnvironment,
): Promise<Staged | Omit<Changed, "left"> | Refused> {
  const toCommit =
    commit === null ? null : await prepareCommit(repo, { tree, edits, message: commit }, ground);
  if (toCommit?.type === "refused") return toCommit;
  const added = plan.flatMap(({ path, after }) => (after === null ? [] : [path]));
  const staged = await stageFiles(repo, merged, added, join(bytes, "stage"), ground);
  if (staged !== null) return staged;
  mkdirSync(join(bytes, "aside"), { recursive: true });
  const proven = await verifyFiles(repo, plan, bytes, "stage");
  if (proven.type === "refused") return proven;
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
  return { type: "staged", exchange: work, committed: toCommit?.committed ?? null };
}

/** On what HEAD and the index are by now. */
async function commitAnew(
  repo: Repository,
  { tree, commit }: ApplyRequest,
  candidate: Clean,
  merge: string,
  ground: GitEnvironment,
  disk: Disk,
): Promise<ToCommit> {
  const now = await checkoutOf(tree, ground);
  if (isRefused(now)) return now;
  const { edits } = candidate;
  const next = await prepareCommit(now, { tree, edits, message: commit ?? "" }, ground);
  if (next.type === "refused") return next;
  const held = await holdByRefs(repo, merge, tree.base, candidate, next.committed, ground);
  if (held !== null) return held;
  record(repo.common, merge, { type: "merge-commit", committed: next.committed }, disk);
  return next;
}

/** No `git gc` takes what undo, or a look back, may need. */
async function holdByRefs(
  repo: Repository,
  merge: string,
  base: string,
  { checkout, merged, edits }: Clean,
  committed: Committed | null,
  ground: GitEnvironment,
): Promise<Refused | null> {
  const parents = [checkout.commit, edits, ...(committed === null ? [] : [committed.commit])];
  const of = parents.flatMap((parent) => ["-p", parent]);
  const after = await repo.git.run(["commit-tree", merged, ...of, "-m", `Merge ${merge}`]);
  const refs = [
    await repo.git.run(["update-ref", mergeRef(merge, "before"), checkout.commit]),
    await repo.git.run(["update-ref", mergeRef(merge, "after"), after.out.trim()]),
  ];
  const failed = [after, ...refs].find(({ code }) => code !== 0);
  const id = after.out.trim();
  const objects = [checkout.commit, checkout.tree, edits, merged];
  if (failed === undefined && (await allThere(repo.git.run, repo.common, id, base, objects, ground)))
    return null;
  const whole = await Promise.all(parents.map((parent) => isConnected(repo.git.run, parent, base)));
  if (failed === undefined || whole.includes(false)) return refused(GC_TOOK);
  return refused(`What was merged could not be kept (git says: ${lastLineOf(failed)}).`);
}

function startOf(
  repo: Repository,
  { tree, owner, title }: ApplyRequest,
  merge: string,
  { exchange: work, committed }: Staged,
  ground: GitEnvironment,
): MergeStart {
  return {
    ...{ type: "merge-start", merge, at: ground.now(), top: repo.top, gitDir: repo.gitDir },
    ...{ tree: tree.name, owner, title, exchange: work, committed },
  };
}

type Written =
  | { readonly type: "written"; readonly committed: Committed | null }
  | Changed
  | { readonly type: "failed"; readonly reason: string; readonly left: readonly Left[] };

/** All of it, or nothing; a disk that refuses the commit throws, and its half is taken back as after a death. */
async function write(
  repo: Repository,
  start: MergeStart,
  renew: () => Promise<ToCommit>,
  ground: GitEnvironment,
  disk: Disk,
): Promise<Written> {
  const done = exchange(start.exchange, disk);
  if (done.type === "changed") return { type: "changed", what: `${done.path} was changed`, left: done.left };
  if (done.type === "failed")
    return { type: "failed", reason: `${done.path} could not be written: ${done.why}.`, left: done.left };
  if (start.committed === null) return { type: "written", committed: null };
  const moved = await moveForth(repo, start.committed, renew, ground, disk);
  switch (moved.type) {
    case "moved":
      return { type: "written", committed: moved.committed };
    case "moved-on":
      return { type: "changed", what: moved.what, left: revertExchange(start.exchange, disk) };
    case "refused":
      return { type: "failed", reason: moved.reason, left: revertExchange(start.exchange, disk) };
    default:
      return moved satisfies never;
  }
}

function foldersWritten({ root, moves }: Exchange): string[] {
  return [...new Set(moves.map(({ path }) => join(root, path, "..")))];
}

/** The agent's files are what they were at first by now. */
async function nothingToDo(
  repo: Repository,
  request: ApplyRequest,
  ground: GitEnvironment,
): Promise<ApplyAnswer> {
  await noteMerged(repo.common, request.tree.name);
  const none = { files: 0, insertions: 0, deletions: 0 };
  return { ...none, type: "merged", merge: ground.id(), commit: null, notes: [] };
}
