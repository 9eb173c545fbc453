import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../lib/errors.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { withLock } from "../lock.ts";
import type { GitRequest, SuccessOf } from "../protocol.ts";
import { refuseRequest } from "../refusal.ts";
import { repositoryAt } from "../repository.ts";
import { changedSince, few, moveBack } from "./commit.ts";
import { exchange } from "./exchange.ts";
import { type FileExchange, type FileMove, isSameFile, lstatOf, stateOf } from "./file-state.ts";
import {
  type Committed,
  type MergeStory,
  mergeStateOf,
  mergesOf,
  record,
  setClosed,
  setOpen,
} from "./merge-journal.ts";
import { disposeOf, leftOver, notDone, recoverFailed, rollBackUnfinished } from "./roll-back.ts";

/** Restores the exact bytes from before a merge. */
export async function undoMerge(request: GitRequest<"undo">, ground: GitEnvironment): Promise<Undone> {
  const repo = await repositoryAt(request.folder, ground);
  return withLock(repo.common, ground, async () => {
    const { notes } = await rollBackUnfinished(repo.common, ground);
    const undone = await undoLocked(repo, request, ground);
    return undone.type === "undone" ? { ...undone, notes: [...notes, ...undone.notes] } : undone;
  });
}

type Undone = SuccessOf<"undo">;

async function undoLocked(
  repo: Repository,
  { which, force }: GitRequest<"undo">,
  ground: GitEnvironment,
): Promise<Undone> {
  const stories = mergesOf(repo.common)
    .flatMap((name) => mergeStateOf(repo.common, name) ?? [])
    .filter(({ start }) => start.top === repo.top && (start.exchange.moves.length > 0 || start.committed));
  const named = stories.filter(({ start }) => which === null || isNamed(start, which));
  const at = stories.findIndex((story) => story.state === "merged" && named.includes(story));
  const story = stories[at];
  if (story === undefined) return whyNothing(which, named);
  const later = stories.slice(0, at).filter((one) => one.state === "merged" && isOnSameFiles(one, story));
  if (later.length > 0)
    return refuseRequest(
      `The same files were changed by later merges (${few(later.map(({ start }) => start.title))}); undo those first.`,
    );
  const { start } = story;
  const { merge, title, committed } = start;
  const changed = start.exchange.moves.filter(({ path, after }) => !isAsLeft(start.exchange, path, after));
  const inGit = committed === null ? [] : await changedSince(repo, committed, ground);
  const paths = [...changed.map(({ path }) => path), ...inGit];
  if (paths.length > 0 && !force) return { type: "changed", merge, title, paths };
  return carryOut(repo, story, inGit.length === 0, ground);
}

function isNamed({ merge, tree, owner }: MergeStory["start"], which: string): boolean {
  return merge === which || tree === which || owner.actor === which;
}

function whyNothing(which: string | null, named: readonly MergeStory[]): Undone {
  if (which === null) return { type: "nothing" };
  return refuseRequest(
    named.some(({ state }) => state === "undone")
      ? `The edits of ${which} are undone already.`
      : `No edits of ${which} were brought into this checkout.`,
  );
}

function isOnSameFiles(one: MergeStory, other: MergeStory): boolean {
  const paths = new Set(pathsOf(other));
  const isBelow = (path: string) =>
    [...paths].some((known) => known.startsWith(`${path}/`) || path.startsWith(`${known}/`));
  return (
    pathsOf(one).some((path) => paths.has(path) || isBelow(path)) ||
    (one.start.committed !== null && other.start.committed !== null)
  );
}

function pathsOf({ start }: MergeStory): string[] {
  return start.exchange.moves.map(({ path }) => path);
}

function isAsLeft(work: FileExchange, path: string, after: FileMove["after"]): boolean {
  return isSameFile(standsAt(work, path), after);
}

/** A directory that the merge made in place of a file is not another file: remove it. */
function standsAt({ root, made }: FileExchange, path: string): FileMove["before"] {
  const isMade = made.some((folder) => folder.path === path);
  if (isMade && lstatOf(join(root, path))?.isDirectory()) return null;
  return stateOf(join(root, path));
}

async function carryOut(
  repo: Repository,
  story: MergeStory,
  withCommit: boolean,
  ground: GitEnvironment,
): Promise<Undone> {
  const { start } = story;
  const { merge, title } = start;
  const work = backwards(story);
  const committed = withCommit ? start.committed : null;
  const missing = work.moves.find(
    ({ incoming }) => incoming !== null && lstatOf(join(work.bytes, incoming)) === null,
  );
  if (missing !== undefined)
    return refuseRequest(`The earlier ${missing.path} no longer exists, so nothing was undone.`);
  mkdirSync(join(work.bytes, work.aside), { recursive: true });
  try {
    return await putBack(repo, story, work, committed, ground);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const state = await recoverFailed(repo.common, merge, ground);
    if (state !== "undone") return refuseRequest(notDone(repo, "undone in", state, error));
    const notes = [`It is undone; tidying up after it failed: ${String(error)}.`];
    return { type: "undone", merge, title, paths: pathsOf(story), notes };
  }
}

async function putBack(
  repo: Repository,
  story: MergeStory,
  work: FileExchange,
  committed: Committed | null,
  ground: GitEnvironment,
): Promise<Undone> {
  const { start } = story;
  const { merge, title } = start;
  setOpen(repo.common, merge, work.bytes, ground.disk);
  record(repo.common, merge, { type: "undo-start", exchange: work, committed }, ground.disk);
  const done = exchange(work, ground.disk);
  if (done.type !== "done") {
    const outcome = "taken back"; // word-ok: as recorded
    record(repo.common, merge, { type: "undo-end", outcome, left: [...done.left] }, ground.disk);
    setClosed(repo.common, ground.disk);
    const why =
      done.type === "changed" ? "was written to at this very moment" : `could not be written: ${done.why}`;
    return refuseRequest(
      [`Nothing was undone, as ${done.path} ${why}.`, ...done.left.map(leftOver)].join(" "),
    );
  }
  const notes = committed === null ? [] : await moveBack(repo, committed, ground);
  if (start.committed !== null && committed === null)
    notes.push(`The commit ${start.committed.commit} stays, as HEAD or the index was changed since.`);
  for (const { path } of work.moves) ground.disk.sync(join(repo.top, path, ".."));
  record(repo.common, merge, { type: "undo-end", outcome: "undone", left: [] }, ground.disk);
  disposeOf({ start, state: "undone" }, ground.disk);
  setClosed(repo.common, ground.disk);
  return {
    type: "undone",
    merge,
    title,
    paths: pathsOf(story),
    notes: [...notes, ...saveChangedSince(story, work)],
  };
}

/**
 * Saves files changed since, like those that the merge wrote; returns notes, also on later writes to replaced files.
 */
function saveChangedSince(story: MergeStory, work: FileExchange): string[] {
  const merged = new Map(story.start.exchange.moves.map((move) => [move.path, move]));
  return work.moves.flatMap(({ path, before, after }, number) => {
    const known = merged.get(path);
    const since = before !== null && !isSameFile(before, known?.after ?? null);
    const late = after !== null && !isSameFile(after, known?.before ?? null);
    return [
      ...(since
        ? [`What was in ${path} since is kept as ${join(work.bytes, work.aside, String(number))}.`]
        : []),
      ...(late
        ? [`${path} was written to after the merge by a program that had it open; that is in it now.`]
        : []),
    ];
  });
}

/** Reverses the merge: removes what it wrote and restores what it replaced. */
function backwards({ start, undos }: MergeStory): FileExchange {
  const { root, bytes, moves, made, emptied } = start.exchange;
  const back = moves.flatMap(({ path, before }, number): FileMove[] => {
    const now = standsAt(start.exchange, path);
    // Already gone, or recreated as it was: nothing to do.
    if (now === null && before === null) return [];
    if (before === null) return [{ path, before: now, after: null, incoming: null }];
    // A process that had it open may have written to it since it was moved: that change is the user's, too.
    const incoming = `${start.exchange.aside}/${number}`;
    return [{ path, before: now, after: stateOf(join(bytes, incoming)) ?? before, incoming }];
  });
  const deletions = back.filter(({ after }) => after === null);
  return {
    ...{ root, bytes, aside: `undo-${undos}` },
    moves: [...deletions, ...back.filter(({ after }) => after !== null)],
    made: [...emptied].reverse(),
    emptied: [...made].reverse().map(({ path }) => ({ path, mode: modeOf(join(root, path)) })),
  };
}

function modeOf(folder: string): number {
  return Number((lstatOf(folder)?.mode ?? 0o755n) & 0o7777n);
}
