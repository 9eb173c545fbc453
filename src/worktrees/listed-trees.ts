import type { Repository } from "./environment.ts";
import { lastLine, refused } from "./repository.ts";
import type { Refused } from "./requests.ts";

export interface ListedTree {
  readonly path: string;
  /** The full name of a ref; null: detached. */
  readonly branch: string | null;
  readonly locked: boolean;
}

/** Every work tree that git knows, the first one first, also where its folder is gone. */
export async function listedTrees(repo: Repository): Promise<ListedTree[] | Refused> {
  const { code, out, err } = await repo.git.run(["worktree", "list", "--porcelain", "-z"]);
  if (code !== 0)
    return refused(`The worktrees of ${repo.top} could not be listed (git says: ${lastLine(err)}).`);
  return out
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
