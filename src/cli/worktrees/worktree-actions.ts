import { relative, sep } from "node:path";
import { type Paint, paintFor } from "../../terminal/colour.ts";
import { counted, shortDate } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import type { RefusedRequest, TreeListing } from "../../worktrees/protocol.ts";
import { exitCodes, quoted, UsageError } from "../exit-codes.ts";
import { printJson, printNotes, tableLines } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { formatResultText } from "../results.ts";

/** What the actions on worktrees work with. */
export interface WorktreeContext {
  readonly worktrees: Worktrees;
  readonly io: CliIO;
  /** Absolute; any directory of the repository. */
  readonly folder: string;
  readonly json: boolean;
}

export async function listWorktrees(context: WorktreeContext): Promise<number> {
  const { io, folder, json, worktrees } = context;
  const { trees: all } = granted(await worktrees.list({ folder }));
  const trees = all.toSorted((one, other) => other.at - one.at);
  if (json)
    await printJson(
      io,
      trees.map((tree) => ({ ...tree, state: stateOf(tree) })),
    );
  else if (trees.length > 0) {
    const paint = paintFor(io.stdout, io.env);
    await io.stdout.write(`${tableLines(trees.map((tree) => cellsOf(tree, folder, paint))).join("\n")}\n`);
  } else await printNotes(io, ["No agent has a worktree in this repository, and none has left one."]);
  return exitCodes.done;
}

function cellsOf(tree: TreeListing, cwd: string, paint: Paint) {
  const { name, counts, at, path, deferred } = tree;
  const without = deferred ? "(made with its first edits)" : "(only its snapshots)";
  const isBelow = path !== null && !relative(cwd, path).startsWith(`..${sep}`) && relative(cwd, path) !== "";
  return [
    { text: safeLine(name), paint: (text: string) => paint("bold", text) },
    stateOf(tree),
    counts === null ? "" : `${counted(counts.files, "file")} +${counts.insertions} -${counts.deletions}`,
    shortDate(new Date(at).toISOString()),
    path === null
      ? { text: without, paint: (text: string) => paint("dim", text) }
      : safeLine(isBelow ? relative(cwd, path) : path),
  ];
}

/** Returns a worktree's status in words. `left behind`: its agent's process has gone before its edits were merged. */
function stateOf({ alive, result, path, undone }: TreeListing): string {
  if (result === "merged" && undone) return "undone";
  if (result !== null) return result;
  if (alive) return "at work";
  return path === null ? "removed" : "left behind";
}

/** The exit code is 0 whether there are edits or not. */
export async function diffWorktree(given: string, context: WorktreeContext): Promise<number> {
  const { io, worktrees, folder, json } = context;
  const { name } = await findNamed(given, context);
  const { text, counts } = granted(await worktrees.diff({ folder, name }));
  if (json) {
    await printJson(io, { name, ...counts, text });
    return exitCodes.done;
  }
  const figures = `${counted(counts.files, "file")} changed, +${counts.insertions} -${counts.deletions}`;
  await printNotes(io, [`${name}: ${text === "" ? "it has no edits" : figures}`]);
  await io.stdout.write(colourDiff(formatResultText(text, io.stdout), paintFor(io.stdout, io.env)));
  return exitCodes.done;
}

/** Within a hunk the first character counts: a removed line may itself start with two dashes. */
function colourDiff(diff: string, paint: Paint): string {
  let inHunk = false;
  const colourLine = (line: string): string => {
    if (line.startsWith("diff --git ")) inHunk = false;
    else if (line.startsWith("@@ ")) inHunk = true;
    if (line === "") return line;
    if (!inHunk) return paint("bold", line);
    if (line.startsWith("@@ ")) return paint("cyan", line);
    if (line.startsWith("+")) return paint("green", line);
    return line.startsWith("-") ? paint("red", line) : line;
  };
  return diff.split("\n").map(colourLine).join("\n");
}

export async function restoreWorktree(given: string, context: WorktreeContext): Promise<number> {
  const { io, worktrees, folder, json } = context;
  const { name } = await findNamed(given, context);
  const answer = granted(await worktrees.restore({ folder, name }));
  if (json) await printJson(io, { name, ...answer });
  else
    await io.stdout.write(
      `${safeLine(name)} is restored with everything it held last: ${safeLine(answer.path)}, on branch ${safeLine(answer.branch)}.\n`,
    );
  return exitCodes.done;
}

export async function removeWorktree(
  given: string,
  force: boolean,
  context: WorktreeContext,
): Promise<number> {
  const { io, worktrees, folder, json } = context;
  const { name } = await findNamed(given, context);
  const answer = granted(await worktrees.removeNamed({ folder, name, force }));
  const restore = `troupe worktrees restore ${safeLine(name)}`;
  if (json) await printJson(io, { name, ...answer });
  else if (answer.type === "removed")
    await io.stdout.write(
      `${safeLine(name)} is removed. Its snapshots stay in ${safeLine(answer.ref)}; ${restore} restores it.\n`,
    );
  else
    await io.stderr.write(
      `${safeLine(name)} has edits that are in no checkout, so it was not removed:\n${fileLines(answer.paths)}To remove it anyway, add --force: its snapshots stay, and ${restore} restores it.\n`,
    );
  return answer.type === "removed" ? exitCodes.done : exitCodes.notDone;
}

export async function sweepWorktrees(context: WorktreeContext): Promise<number> {
  const { io, json, worktrees, folder } = context;
  const { removed, left, rolledBack } = granted(await worktrees.sweep({ folder }));
  if (json) {
    await printJson(io, { removed, left, rolledBack });
    return exitCodes.done;
  }
  const lines = [
    ...removed.map((name) => `Removed ${name}; all of it is in a snapshot.`),
    ...rolledBack.map((merge) => `Rolled back the merge ${merge}, which was cut off halfway.`),
    ...left.map(({ name, why }) => `Left ${name} alone: ${why}`),
  ];
  await io.stdout.write(lines.map((line) => `${safeLine(line)}\n`).join(""));
  if (lines.length === 0) await printNotes(io, ["There was nothing to remove."]);
  return exitCodes.done;
}

/** Finds the worktree that a word means. Throws a `UsageError` if there is not exactly one. */
export async function findNamed(given: string, { worktrees, folder }: WorktreeContext): Promise<TreeListing> {
  return requireWorktree(given, granted(await worktrees.list({ folder })).trees);
}

/** Files that are shown; JSON has all. */
const MOST_FILES = 40;

/** Returns one indented line per file. */
export function fileLines(paths: readonly string[]): string {
  const left = paths.length - MOST_FILES;
  const lines = paths.slice(0, MOST_FILES).map((path) => `  ${safeLine(path)}\n`);
  return `${lines.join("")}${left > 0 ? `  and ${left} more\n` : ""}`;
}

/** Worktrees of agents are named after them. */
const PREFIX = "agent-";
/** Names in one sentence. */
const MOST_NAMES = 5;

/**
 * Finds a worktree by its name or branch, by its agent's ID, or by the beginning of its name or ID. Returns null if there
 * is none; throws a `UsageError` if there are several.
 */
export function findWorktree(given: string, trees: readonly TreeListing[]): TreeListing | null {
  if (given === "") return null;
  const ways: readonly ((tree: TreeListing) => boolean | undefined)[] = [
    ({ name }) => name === given,
    ({ owner, branch }) => owner?.actor === given || branch === given,
    ({ name, owner }) =>
      name.startsWith(given) || name.startsWith(`${PREFIX}${given}`) || owner?.actor.startsWith(given),
  ];
  const found = ways.map((way) => trees.filter(way)).find((some) => some.length > 0) ?? [];
  if (found.length < 2) return found[0] ?? null;
  const names = found.slice(0, MOST_NAMES).map(({ name }) => safeLine(name));
  const more = found.length > MOST_NAMES ? `, … (${found.length} in all)` : "";
  throw new UsageError(
    `${quoted(given)} means more than one worktree: ${names.join(", ")}${more}; give more of its name.`,
  );
}

/** Finds the worktree that is meant. Throws a `UsageError` if there is not exactly one. */
export function requireWorktree(given: string, trees: readonly TreeListing[]): TreeListing {
  const tree = findWorktree(given, trees);
  if (tree !== null) return tree;
  throw new UsageError(
    given.includes("/")
      ? `There is no worktree ${quoted(given)}: give its name, its branch or its agent's ID, not a path; troupe worktrees list shows them.`
      : `There is no worktree ${quoted(given)} in this repository; troupe worktrees list shows them.`,
  );
}

/** The git worker did nothing; its message says why. */
class RefusedError extends Error {}

/** Returns an answer of the git worker. Throws if it refused the request: `withGitWorker` says so to the user. */
export function granted<A extends { readonly type: string }>(answer: A | RefusedRequest): A {
  if (answer.type === "refused") throw new RefusedError((answer as RefusedRequest).reason);
  return answer as A;
}

/** Works with a git worker of its own, which is closed afterwards; loaded when it is needed. Says what it refused. */
export async function withGitWorker<T>(
  io: CliIO,
  work: (worktrees: Worktrees) => Promise<T>,
): Promise<T | number> {
  const { startGitWorker } = await import("../../worktrees/git-worker.ts");
  const worktrees = startGitWorker({
    env: io.env,
    clock: io.clock,
    onWarning: (message) => void printNotes(io, [message]).catch(() => {}),
  });
  try {
    return await work(worktrees);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    await printNotes(io, [error.message]);
    return exitCodes.notDone;
  } finally {
    await worktrees.close();
  }
}
