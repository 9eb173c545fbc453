import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "./git.ts";
import { outputOf } from "./refusal.ts";

/** A repository has a few filters; more failures have another cause. */
const MAX_FILTERS = 5;
const FAILED_FILTER = /(?:smudge|clean) filter '?([^\s']+)'? failed/;

/**
 * Writes the files and index of a commit; returns notes. Sparse if the checkout is: git has copied the patterns. A
 * filter that cannot run (git-lfs is not installed) costs its files their content, not the worktree.
 */
export async function fillTree(git: Git, commit: string, signal: AbortSignal | undefined): Promise<string[]> {
  const off: string[] = [];
  for (;;) {
    const settings = off.flatMap((name) => [
      ...["-c", `filter.${name}.smudge=`, "-c", `filter.${name}.process=`],
      ...["-c", `filter.${name}.required=false`],
    ]);
    const args = ["read-tree", "--reset", "-u", "--no-recurse-submodules", commit];
    const answer = await git.run([...settings, ...args], { signal });
    if (answer.code === 0) return off.map(withoutFilter);
    const failed = await failedFilter(git, answer.err);
    if (failed !== undefined && !off.includes(failed) && off.length < MAX_FILTERS) off.push(failed);
    else outputOf(answer, "The files of the worktree could not be written");
  }
}

/** For a filter that serves all files git shows only the command, as the shell could not start it. */
export async function failedFilter(git: Git, err: string): Promise<string | undefined> {
  const named = FAILED_FILTER.exec(err)?.[1];
  if (named !== undefined) return named;
  const { out } = await git.run(["config", "-z", "--get-regexp", "^filter\\..*\\.process$"]);
  for (const entry of out.split("\0")) {
    const [key = "", command = ""] = entry.split("\n");
    if (command !== "" && err.includes(command)) return key.slice("filter.".length, -".process".length);
  }
  return undefined;
}

function withoutFilter(name: string): string {
  return `The filter "${name}" of this repository could not run, so its files are in the worktree as git stores them (git-lfs: as pointers); install it to have their content.`;
}

/** Returns notes on submodules: a worktree has none of their files. */
export async function submodulesOf(git: Git): Promise<string[]> {
  if (!existsSync(join(git.folder, ".gitmodules"))) return [];
  const { out } = await git.run([
    "config",
    "-z",
    "-f",
    ".gitmodules",
    "--get-regexp",
    "^submodule\\..*\\.path$",
  ]);
  const paths = out.split("\0").flatMap((entry) => entry.split("\n").slice(1));
  if (paths.length === 0) return [];
  return [
    `Submodules are not checked out in the worktree, their directories are empty there: ${paths.join(", ")}. Edits to them are not merged; the snapshots of the worktree have them.`,
  ];
}
