import type { Repository } from "./environment.ts";
import { outputOf } from "./refusal.ts";

export interface ListedTree {
  readonly path: string;
  /** The full name of a ref; null if HEAD is detached. */
  readonly branch: string | null;
  readonly locked: boolean;
}

/** Returns every worktree that git knows, the first one first, even if its directory is gone. */
export async function listedTrees(repo: Repository): Promise<ListedTree[]> {
  const listed = await repo.git.run(["worktree", "list", "--porcelain", "-z"]);
  return outputOf(listed, `The worktrees of ${repo.top} could not be listed`)
    .split("\0\0")
    .map((entry) => entry.split("\0").filter((line) => line !== ""))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      path: after("worktree ", lines) ?? "",
      branch: after("branch ", lines),
      locked: lines.some((line) => line === "locked" || line.startsWith("locked ")),
    }));
}

function after(start: string, lines: readonly string[]): string | null {
  return lines.find((line) => line.startsWith(start))?.slice(start.length) ?? null;
}
