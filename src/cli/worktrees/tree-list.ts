import { relative, sep } from "node:path";
import type { TreeListing } from "../../worktrees/requests.ts";
import type { Paint } from "../colour.ts";
import { displayWidth, padToWidth } from "../display-width.ts";
import { counted } from "../figures.ts";
import { safeLine } from "../safe-text.ts";
import { shortDate } from "../short-date.ts";
import { treeState } from "./tree-state.ts";

/** One line per worktree, newest first; paths are from `cwd` where they are below it. */
export function treeListText(trees: readonly TreeListing[], cwd: string, paint: Paint): string {
  const width = Math.max(0, ...trees.map(({ name }) => displayWidth(safeLine(name))));
  const edits = Math.max(0, ...trees.map((tree) => editWords(tree).length));
  return newestFirst(trees)
    .map((tree) => {
      const parts = [
        paint("bold", padToWidth(safeLine(tree.name), width)),
        padToWidth(treeState(tree), 11),
        editWords(tree).padEnd(edits),
        shortDate(new Date(tree.at).toISOString()),
        tree.path === null ? paint("dim", "(only its snapshots)") : safeLine(shortPath(tree.path, cwd)),
      ];
      return `${parts.join("  ").trimEnd()}\n`;
    })
    .join("");
}

export function newestFirst(trees: readonly TreeListing[]): readonly TreeListing[] {
  return [...trees].sort((one, other) => other.at - one.at);
}

/** `3 files +41 -7`; empty where it is not known. */
function editWords({ counts }: TreeListing): string {
  if (counts === null) return "";
  return `${counted(counts.files, "file")} +${counts.insertions} -${counts.deletions}`;
}

function shortPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === "" || inside === ".." || inside.startsWith(`..${sep}`) ? path : inside;
}
