import { safeLine } from "../../terminal/safe-text.ts";
import type { TreeListing } from "../../worktrees/protocol.ts";
import { quoted, UsageError } from "../usage-error.ts";

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
