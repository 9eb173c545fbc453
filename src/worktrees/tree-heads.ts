import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import { treeRecordFolder } from "./layout.ts";
import { chunks } from "./side-index.ts";
import type { TreeGit, TreePlace } from "./worktree-location.ts";

/** Commits that a worktree's HEAD was at and that the snapshot must hold; call `remember` once it does. */
export interface Heads {
  readonly tips: readonly string[];
  remember(): void;
}

/**
 * Returns the commits that the reflog of the worktree's HEAD has and `held` does not reach, as parents of the snapshot:
 * an agent may commit, reset, rebase and drop a branch in one command, and the reflog is deleted with the worktree.
 */
export async function newHeads(
  git: TreeGit,
  place: TreePlace,
  tree: Worktree,
  head: string | null,
  held: string,
): Promise<Heads> {
  const lines = textOf(join(place.gitDir, "logs", "HEAD"))
    .split("\n")
    .filter(Boolean);
  const memory = join(treeRecordFolder(place.common, tree.name), "heads");
  const last = lines.at(-1);
  const remember = () => {
    if (last !== undefined) writeFileSync(memory, last);
  };
  const seen = lines.lastIndexOf(textOf(memory));
  const met = new Set(lines.slice(seen + 1).flatMap(commitsOf));
  if (head !== null) met.add(head);
  met.delete(tree.base);
  met.delete(held);
  return { tips: met.size === 0 ? [] : await tips(git, [...met], held, tree.base), remember };
}

async function tips(git: TreeGit, met: readonly string[], held: string, base: string): Promise<string[]> {
  const found: string[] = [];
  for (const some of chunks(met, 400)) {
    // A commit that git has already dropped cannot be held.
    const listed = await git(["rev-list", "--parents", "--ignore-missing", ...some, "--not", held, base]);
    const rows = listed.out.split("\n").filter((row) => row !== "");
    const parents = new Set(rows.flatMap((row) => row.split(" ").slice(1)));
    const commits = new Set(rows.map((row) => row.split(" ")[0]));
    found.push(...some.filter((commit) => commits.has(commit) && !parents.has(commit)));
  }
  return found;
}

function commitsOf(line: string): string[] {
  return line.split(" ", 2).filter((id) => /^[0-9a-f]{40,64}$/.test(id) && !/^0+$/.test(id));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Reflogs may be off; nothing may have been remembered.
    return "";
  }
}
