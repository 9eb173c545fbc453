import type { TreeListing } from "../../worktrees/requests.ts";

/** How it stands with a worktree, as people say it. */
export type TreeState =
  | "at work"
  | "merged"
  | "undone"
  | "kept"
  | "conflict"
  | "empty"
  | "left behind"
  | "removed";

/** `left behind`: its agent's process is gone, and nobody said what was to become of its edits. */
export function treeState({ alive, result, path, undone }: TreeListing): TreeState {
  if (result === "merged" && undone) return "undone";
  if (result !== null) return result;
  if (alive) return "at work";
  return path === null ? "removed" : "left behind";
}
