import * as z from "zod/mini";

/** Characters of a worktree's name (A3.23). */
export const MAX_WORKTREE_NAME_CHARS = 64;
/** What a directory of ours and a part of a ref can be called; `treeNameFor` makes one of a name that was asked for. */
export const TREE_NAME = /^(?=.{1,64}$)[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

/** True if a worktree may be asked for by this name: segments between slashes (checklist A22.35). */
export function isWorktreeName(name: string): boolean {
  const isSegment = (segment: string) =>
    /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.\.?$|\.lock$/.test(segment);
  return name.length <= MAX_WORKTREE_NAME_CHARS && name.split("/").every(isSegment);
}

/** Returns the name of its directory and refs; two names can become one, so it is checked whether that is taken. */
export function treeNameFor(name: string): string {
  return name.replaceAll("/", "-").replace(/^[.-]|\.(?=\.|$)/g, "_");
}

/**
 * A git worktree of an actor's own, as plain data: part of its spec, so whoever goes on with it knows it. All folders
 * are absolute.
 */
export const Worktree = z.object({
  /** Unique in its repository, and the last part of `path`. */
  name: z.string(),
  path: z.string(),
  branch: z.string(),
  /** The top folder of the checkout that its edits come back to. */
  checkout: z.string(),
  /** The commit its edits are counted from: what the checkout was, with what was not committed there. */
  base: z.string(),
  /** HEAD of the checkout when `base` was taken; null where there was no commit yet. */
  head: z.nullable(z.string()),
});
export type Worktree = z.infer<typeof Worktree>;

/** Where an actor works, once it has moved: into a worktree, or out of it again. */
export const Location = z.object({
  /** The only folder its paths resolve in. */
  root: z.string(),
  cwd: z.string(),
  tree: z.nullable(Worktree),
});
export type Location = z.infer<typeof Location>;

/** How a tree's edits come back: into the files of the checkout, as a commit as well, not at all, or after a question. */
export const MergeMode = z.enum(["apply", "commit", "keep", "ask"]);
export type MergeMode = z.infer<typeof MergeMode>;

/**
 * An actor that is to have a tree of its own; part of its spec. Its root is in the tree before there is one: it is made
 * when the actor starts for the first time.
 */
export const Isolation = z.object({
  name: z.string(),
  /** Where the tree stands. */
  path: z.string(),
  /** The top folder of the checkout that it is made from, and its edits come back to. */
  checkout: z.string(),
  branch: z.string(),
  /** HEAD of the checkout when it was asked for; null: no commit yet. */
  head: z.nullable(z.string()),
  merge: MergeMode,
});
export type Isolation = z.infer<typeof Isolation>;

/** A file that could not be merged; `lines`: where the marked places stand in the file with both sides in it, from 1. */
export const Conflict = z.object({
  path: z.string(),
  /** As git names it: `content`, `add/add`, `modify/delete`, `binary`, `rename/rename`, `untracked`, … */
  kind: z.string(),
  lines: z.array(z.object({ from: z.number(), to: z.number() })),
});
export type Conflict = z.infer<typeof Conflict>;

/** What became of the edits of an actor with a tree of its own (checklist A11.6, A16.4, A22.26). */
export const WorktreeResult = z.object({
  /**
   * `merged`: they are in the checkout, the tree is gone. `empty`: there were none, the tree is gone. `conflict` and
   * `kept`: they are on `branch` and in `path`, and `reason` says why.
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
  /** The commit that was made, where commits were asked for. */
  commit: z.optional(z.string()),
  /** What else is to be known: repositories within the repository that were left out, for one. */
  notes: z.optional(z.array(z.string())),
});
export type WorktreeResult = z.infer<typeof WorktreeResult>;
