import type { TreeListing } from "../../worktrees/requests.ts";
import { quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { UsageError } from "../usage-error.ts";

/** What a word names among these worktrees. */
export type TreeSearch =
  | { readonly type: "found"; readonly tree: TreeListing }
  | { readonly type: "unknown" }
  | { readonly type: "ambiguous"; readonly names: readonly string[] };

/** Agents' worktrees are called after them. */
const AGENTS = "agent-";
/** Names in one sentence; there can be any number of worktrees. */
const MOST_NAMES = 5;

/** By its name or branch, by the id of its agent, or by the beginning of either where that is one worktree's only. */
export function searchTree(given: string, trees: readonly TreeListing[]): TreeSearch {
  if (given === "") return { type: "unknown" };
  const ways: readonly ((tree: TreeListing) => boolean | undefined)[] = [
    ({ name }) => name === given,
    ({ owner, branch }) => owner?.actor === given || branch === given,
    ({ name, owner }) =>
      name.startsWith(given) || name.startsWith(`${AGENTS}${given}`) || owner?.actor.startsWith(given),
  ];
  const found = ways.map((way) => trees.filter(way)).find((some) => some.length > 0) ?? [];
  const [tree, another] = found;
  if (tree === undefined) return { type: "unknown" };
  return another === undefined
    ? { type: "found", tree }
    : { type: "ambiguous", names: found.map(({ name }) => name) };
}

/** The one worktree that is meant; a `UsageError` where that is none or several. */
export function treeNamed(given: string, trees: readonly TreeListing[]): TreeListing {
  const search = searchTree(given, trees);
  switch (search.type) {
    case "found":
      return search.tree;
    case "ambiguous":
      throw ambiguous(given, search.names);
    case "unknown":
      throw new UsageError(
        given.includes("/")
          ? `There is no worktree ${quoted(given)}: it is named by its name, its branch or its agent's id, not by a path; troupe worktrees list shows them.`
          : `There is no worktree ${quoted(given)} in this repository; troupe worktrees list shows them.`,
      );
    default:
      return search satisfies never;
  }
}

export function ambiguous(given: string, names: readonly string[]): UsageError {
  const more = names.length > MOST_NAMES ? `, … (${names.length} in all)` : "";
  const first = names.slice(0, MOST_NAMES).map(safeLine).join(", ");
  return new UsageError(
    `${quoted(given)} means more than one worktree: ${first}${more}; give more of its name.`,
  );
}
