import { join, relative } from "node:path";
import * as z from "zod/mini";

/** An actor's own git worktree, as plain data of its spec, which survives a resume. All directories are absolute. */
export const Worktree = z.object({
  /** Unique in its repository, and the last part of `path`. */
  name: z.string(),
  path: z.string(),
  branch: z.string(),
  /** The top directory of the checkout into which its edits are merged. */
  checkout: z.string(),
  /** The commit from which its edits are counted: the checkout with its uncommitted changes. */
  base: z.string(),
  /** HEAD of the checkout when `base` was taken; null before the first commit. */
  head: z.nullable(z.string()),
});
export type Worktree = z.infer<typeof Worktree>;

/** Where an actor works after it has entered or exited a worktree. */
export const Location = z.object({
  /** The only directory its paths resolve in. */
  root: z.string(),
  cwd: z.string(),
  tree: z.nullable(Worktree),
});
export type Location = z.infer<typeof Location>;

/**
 * How a worktree's edits are merged: into the files of the checkout, also as a commit, not at all, or after a
 * question.
 */
export const MergeMode = z.enum(["apply", "commit", "keep", "ask"]);
export type MergeMode = z.infer<typeof MergeMode>;

/**
 * A future worktree of an actor, as part of its spec. Its root is inside the worktree, which is created when the
 * actor first starts.
 */
export const Isolation = z.object({
  name: z.string(),
  /** Where the worktree will be. */
  path: z.string(),
  /** The top directory of the checkout that it is made from, and into which its edits are merged. */
  checkout: z.string(),
  branch: z.string(),
  /** HEAD of the checkout at the request; null before the first commit. */
  head: z.nullable(z.string()),
  merge: MergeMode,
  /** Where its files are while it works on a runner; the worktree here has them as they were last sent or received. */
  away: z.optional(z.string()),
});
export type Isolation = z.infer<typeof Isolation>;

/** Returns where a directory of an actor is on this machine: on a runner it has another path. */
export function pathHere({ away, path }: Pick<Isolation, "away" | "path">, directory: string): string {
  if (away === undefined) return directory;
  const inside = relative(away, directory);
  return inside === ".." || inside.startsWith("../") ? directory : join(path, inside);
}

/** The directory of worktrees on every runner: the same on all, so that paths hold wherever an agent continues. */
export const RUNNER_TREES = "/var/tmp/troupe";

/** A file that could not be merged; `lines`: positions of the markers in the file with both sides, from 1. */
export const Conflict = z.object({
  path: z.string(),
  /** As git names it: `content`, `add/add`, `modify/delete`, `binary`, `rename/rename`, `untracked`, … */
  kind: z.string(),
  lines: z.array(z.object({ from: z.number(), to: z.number() })),
});
export type Conflict = z.infer<typeof Conflict>;

/** The result of the edits of an actor with its own worktree (checklist A11.6, A16.4, A22.26). */
export const WorktreeResult = z.object({
  /**
   * `merged`: they are in the checkout, the worktree is removed. `empty`: there were none, the worktree is removed.
   * `conflict` and `kept`: they are on `branch` and in `path`, and `reason` says why.
   */
  outcome: z.enum(["merged", "conflict", "kept", "empty"]),
  reason: z.optional(z.string()),
  files: z.number(),
  insertions: z.number(),
  deletions: z.number(),
  base: z.string(),
  head: z.nullable(z.string()),
  branch: z.optional(z.string()),
  path: z.optional(z.string()),
  conflicts: z.optional(z.array(Conflict)),
  /** Files whose deletion was held back, as no call of the agent had deleted them. */
  held: z.optional(z.array(z.string())),
  /** The name of the merge, for undo. */
  merge: z.optional(z.string()),
  /** The commit, if commits were requested. */
  commit: z.optional(z.string()),
  /** Further notes, such as nested repositories that were left out. */
  notes: z.optional(z.array(z.string())),
});
export type WorktreeResult = z.infer<typeof WorktreeResult>;
