import type * as z from "zod/mini";
import type { ListAnswer, Refused, TreeListing } from "../../worktrees/requests.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import { paintFor } from "../colour.ts";
import { exitCodes } from "../exit-codes.ts";
import { counted } from "../figures.ts";
import type { CliIO } from "../io.ts";
import { resultText } from "../results.ts";
import { safeLine } from "../safe-text.ts";
import { colouredDiff } from "./coloured-diff.ts";
import { fileLines } from "./file-lines.ts";
import { treeNamed } from "./named-tree.ts";
import { newestFirst, treeListText } from "./tree-list.ts";
import { treeState } from "./tree-state.ts";

/** What the commands about worktrees work with. */
export interface AboutTrees {
  readonly worktrees: Worktrees;
  readonly io: CliIO;
  /** Absolute; any folder of the repository. */
  readonly folder: string;
  readonly json: boolean;
}

export async function listTrees(about: AboutTrees): Promise<number> {
  const answer = await about.worktrees.list({ folder: about.folder });
  if (answer.type === "refused") return refused(about, answer);
  const { io, folder, json } = about;
  const trees = newestFirst(answer.trees);
  if (json)
    await printJson(
      io,
      trees.map((tree) => ({ ...tree, state: treeState(tree) })),
    );
  else if (trees.length > 0) await io.stdout.write(treeListText(trees, folder, paintFor(io.stdout, io.env)));
  else await io.stderr.write("No agent has a worktree in this repository, and none has left one.\n");
  return exitCodes.done;
}

/** Whatever differs, the exit code is that of `git diff`: 0 where it could be said. */
export async function diffTree(given: string, about: AboutTrees): Promise<number> {
  const found = await named(given, about);
  if (found.type === "refused") return refused(about, found);
  const { io, worktrees, folder, json } = about;
  const { name } = found.tree;
  const answer = await worktrees.diff({ folder, name });
  if (answer.type === "refused") return refused(about, answer);
  const { text, counts } = answer;
  if (json) {
    await printJson(io, { name, ...counts, text });
    return exitCodes.done;
  }
  const figures = `${counted(counts.files, "file")} changed, +${counts.insertions} -${counts.deletions}`;
  await io.stderr.write(`${safeLine(name)}: ${text === "" ? "it has no edits" : figures}\n`);
  await io.stdout.write(colouredDiff(resultText(text, io.stdout), paintFor(io.stdout, io.env)));
  return exitCodes.done;
}

export async function restoreTree(given: string, about: AboutTrees): Promise<number> {
  const found = await named(given, about);
  if (found.type === "refused") return refused(about, found);
  const { io, worktrees, folder, json } = about;
  const { name } = found.tree;
  const answer = await worktrees.restore({ folder, name });
  if (answer.type === "refused") return refused(about, answer);
  if (json) await printJson(io, { name, ...answer });
  else
    await io.stdout.write(
      `${safeLine(name)} is there again with all it held last: ${safeLine(answer.path)}, on branch ${safeLine(answer.branch)}.\n`,
    );
  return exitCodes.done;
}

export async function removeTree(given: string, force: boolean, about: AboutTrees): Promise<number> {
  const found = await named(given, about);
  if (found.type === "refused") return refused(about, found);
  const { io, worktrees, folder, json } = about;
  const { name } = found.tree;
  const answer = await worktrees.removeNamed({ folder, name, force });
  if (answer.type === "refused") return refused(about, answer);
  const code = answer.type === "removed" ? exitCodes.done : exitCodes.notDone;
  const back = `troupe worktrees restore ${safeLine(name)}`;
  if (json) await printJson(io, { name, ...answer });
  else if (answer.type === "removed")
    await io.stdout.write(
      `${safeLine(name)} is removed. Its snapshots stay in ${safeLine(answer.ref)}; ${back} brings it back.\n`,
    );
  else
    await io.stderr.write(
      `${safeLine(name)} has edits that are in no checkout, so it was not removed:\n${fileLines(answer.paths)}Remove it all the same with --force: its snapshots stay, and ${back} brings it back.\n`,
    );
  return code;
}

export async function sweepTrees(about: AboutTrees): Promise<number> {
  const answer = await about.worktrees.sweep({ folder: about.folder });
  if (answer.type === "refused") return refused(about, answer);
  const { io, json } = about;
  const { removed, left, rolledBack } = answer;
  if (json) {
    await printJson(io, { removed, left, rolledBack });
    return exitCodes.done;
  }
  const lines = [
    ...removed.map((name) => `Removed ${name}; nothing of it is lost.`),
    ...rolledBack.map((merge) => `Took back the merge ${merge}, which was cut off half-way.`),
    ...left.map(({ name, why }) => `Left ${name} alone: ${why}`),
  ];
  await io.stdout.write(lines.map((line) => `${safeLine(line)}\n`).join(""));
  if (lines.length === 0) await io.stderr.write("There was nothing to clear away.\n");
  return exitCodes.done;
}

/** One sentence, and the exit code of what was not done. */
export async function refused({ io }: AboutTrees, { reason }: Refused): Promise<number> {
  await io.stderr.write(`${safeLine(reason)}\n`);
  return exitCodes.notDone;
}

export function printJson(io: CliIO, value: unknown): Promise<void> {
  return io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** The worktree that a word means. */
export async function named(
  given: string,
  { worktrees, folder }: AboutTrees,
): Promise<{ readonly type: "found"; readonly tree: TreeListing } | Refused> {
  const answer: z.infer<typeof ListAnswer> = await worktrees.list({ folder });
  return answer.type === "refused" ? answer : { type: "found", tree: treeNamed(given, answer.trees) };
}
