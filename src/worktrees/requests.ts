import * as z from "zod/mini";
import { Conflict, Worktree, WorktreeResult } from "../mailbox/worktree.ts";

/**
 * Requests and responses of the git worker, as plain data: the git worker is a process of its own, the only one that
 * runs git. Every response is an outcome; only bugs reject.
 */

/** The operation is impossible and changed nothing; a sentence the user can act on. */
export const RefusedRequest = z.object({
  type: z.literal("refused"),
  reason: z.string(),
  /** The git worker died before it responded: the request may have been carried out, wholly or in part. */
  died: z.optional(z.literal(true)),
});
export type RefusedRequest = z.infer<typeof RefusedRequest>;

// ---- inspect -----------------------------------------------------------------------------------------

export const InspectRequest = z.object({ folder: z.string() });
export const Inspection = z.object({
  type: z.literal("repository"),
  /** The top directory of the checkout that contains `folder`. */
  top: z.string(),
  /** Its common git directory. */
  common: z.string(),
  head: z.nullable(z.string()),
  /** Null if HEAD is detached. */
  branch: z.nullable(z.string()),
  /** Every worktree git lists, the first one first. */
  trees: z.array(z.object({ path: z.string(), branch: z.nullable(z.string()) })),
});
export type Inspection = z.infer<typeof Inspection>;
export const InspectAnswer = z.discriminatedUnion("type", [Inspection, RefusedRequest]);

/** Whether files named by rules were ever tracked, in any commit that a ref, a reflog or the index leads to. */
export const EverTrackedRequest = z.object({
  folder: z.string(),
  /** Other directories equivalent to its top: the checkout of a worktree. */
  alsoAt: z.array(z.string()),
  /** In the syntax of rules: `.env`, `/secrets/**`, `~/x`. */
  patterns: z.array(z.string()),
  anchors: z.object({
    projects: z.array(z.string()),
    home: z.string(),
    config: z.string(),
    foldCase: z.boolean(),
  }),
});
export type EverTrackedRequest = z.infer<typeof EverTrackedRequest>;
export const EverTrackedAnswer = z.discriminatedUnion("type", [
  /** One for each pattern. */
  z.object({ type: z.literal("tracked"), answers: z.array(z.enum(["yes", "no"])) }),
  /** Also if the history is too large or incomplete. */
  RefusedRequest,
]);
export type EverTrackedAnswer = z.infer<typeof EverTrackedAnswer>;

// ---- create ------------------------------------------------------------------------------------------

/** The owner of a worktree: a sweep skips the worktrees of live owners. */
export const Owner = z.object({
  session: z.string(),
  actor: z.string(),
  process: z.object({ pid: z.number(), startedAt: z.nullable(z.string()) }),
});
export type Owner = z.infer<typeof Owner>;

/** `checkout`: HEAD and everything uncommitted; `head`: HEAD alone; `fresh`: the remote's default branch (A16.1). */
export const BaseRef = z.enum(["checkout", "head", "fresh"]);
export type BaseRef = z.infer<typeof BaseRef>;

export const CreateRequest = z.object({
  /** Any directory of the checkout that it is made from and merged into. */
  folder: z.string(),
  name: z.string(),
  owner: Owner,
  baseRef: BaseRef,
  /** Directories, relative to the top, to link or copy if they exist and are ignored: `node_modules`. */
  dependencies: z.array(z.object({ folder: z.string(), how: z.enum(["link", "copy"]) })),
});
export type CreateRequest = z.infer<typeof CreateRequest>;
export const CreateAnswer = z.discriminatedUnion("type", [
  /** `notes`: what was left out, and what the base lacks. */
  z.object({ type: z.literal("created"), tree: Worktree, notes: z.array(z.string()) }),
  RefusedRequest,
]);
export type CreateAnswer = z.infer<typeof CreateAnswer>;

/**
 * The worktree of a resumed actor: as it is, with its new owner; restored if it was removed with unmerged edits;
 * otherwise made again at the same path, on the checkout as it is now.
 */
export const ClaimAnswer = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("claimed"),
    tree: Worktree,
    how: z.enum(["as-it-is", "put-back", "created-again"]),
    notes: z.array(z.string()),
  }),
  RefusedRequest,
]);
export type ClaimAnswer = z.infer<typeof ClaimAnswer>;

// ---- snapshot ----------------------------------------------------------------------------------------

export const SnapshotRequest = z.object({
  tree: Worktree,
  /** Absolute paths that a call wrote; null if it may have written anywhere. Ignored files are kept if named. */
  files: z.nullable(z.array(z.string())),
});
export type SnapshotRequest = z.infer<typeof SnapshotRequest>;
export const ChangedFile = z.object({
  /** Relative to the top, with `/`. */
  path: z.string(),
  change: z.enum(["added", "modified", "deleted"]),
});
export type ChangedFile = z.infer<typeof ChangedFile>;
export const SnapshotAnswer = z.discriminatedUnion("type", [
  /** `changed`: since the last snapshot; `commit`: the one that holds everything; `notes`: what it lacks. */
  z.object({
    type: z.literal("taken"),
    commit: z.string(),
    changed: z.array(ChangedFile),
    notes: z.array(z.string()),
  }),
  RefusedRequest,
]);
export type SnapshotAnswer = z.infer<typeof SnapshotAnswer>;

/** Whether two worktrees change the same lines of a file, each counted from its own base. */
export const OverlapRequest = z.object({ one: Worktree, other: Worktree, path: z.string() });
export const OverlapAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("overlap"), lines: z.enum(["same", "others", "unknown"]) }),
  RefusedRequest,
]);

// ---- merge -------------------------------------------------------------------------------------------

export const Counts = z.object({ files: z.number(), insertions: z.number(), deletions: z.number() });
export type Counts = z.infer<typeof Counts>;

export const PrepareRequest = z.object({
  tree: Worktree,
  /** Files that the agent's calls deleted, relative to the top; other deletions are `strange`. */
  deleted: z.array(z.string()),
  /** Put the merged files into the agent's worktree for a check; `settle` restores its own. */
  forCheck: z.boolean(),
});
export type PrepareRequest = z.infer<typeof PrepareRequest>;
export const PrepareAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("empty"), notes: z.array(z.string()) }),
  z.extend(Counts, {
    type: z.literal("clean"),
    /** Trees of the checkout as found, and of the merged result. */
    checkout: z.string(),
    merged: z.string(),
    paths: z.array(z.string()),
    /** Deletions that no call of the agent made. */
    strange: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  z.extend(Counts, { type: z.literal("conflict"), conflicts: z.array(Conflict), notes: z.array(z.string()) }),
  RefusedRequest,
]);
export type PrepareAnswer = z.infer<typeof PrepareAnswer>;

export const ApplyRequest = z.object({
  tree: Worktree,
  /**
   * The checkout that `prepare` saw: if it has changed, the response is `moved` and nothing was written. Null accepts
   * any.
   */
  expects: z.nullable(z.string()),
  /** Deletions to leave out. */
  hold: z.array(z.string()),
  /** Message of one commit on HEAD; null makes none. */
  commit: z.nullable(z.string()),
  /** The owner of the edits, for `undo` and lists. */
  owner: Owner,
  title: z.string(),
});
export type ApplyRequest = z.infer<typeof ApplyRequest>;
export const ApplyAnswer = z.discriminatedUnion("type", [
  z.extend(Counts, {
    type: z.literal("merged"),
    merge: z.string(),
    commit: z.nullable(z.string()),
    notes: z.array(z.string()),
  }),
  z.object({ type: z.literal("moved") }),
  /** Found during the write: everything was rolled back. */
  z.extend(Counts, { type: z.literal("conflict"), conflicts: z.array(Conflict), notes: z.array(z.string()) }),
  RefusedRequest,
]);
export type ApplyAnswer = z.infer<typeof ApplyAnswer>;

/** Restores the agent's worktree after a check. */
export const SettleRequest = z.object({ tree: Worktree });
export const DoneAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("done") }),
  RefusedRequest,
]);

/** Returns the conflict to its owner: bases its worktree on the checkout as it is now, with marks in the files. */
export const RebaseRequest = z.object({ tree: Worktree });
export const RebaseAnswer = z.discriminatedUnion("type", [
  /** Without conflicts the edits merge by now. */
  z.object({ type: z.literal("rebased"), tree: Worktree, conflicts: z.array(Conflict) }),
  RefusedRequest,
]);
export type RebaseAnswer = z.infer<typeof RebaseAnswer>;

/** Leaves the edits on their branch, as one commit. */
export const KeepRequest = z.object({ tree: Worktree, message: z.string() });
export const KeepAnswer = z.discriminatedUnion("type", [
  z.extend(Counts, { type: z.literal("kept"), commit: z.string(), notes: z.array(z.string()) }),
  z.object({ type: z.literal("empty") }),
  RefusedRequest,
]);
export type KeepAnswer = z.infer<typeof KeepAnswer>;

/** Removes the worktree and its branch; refused unless every byte is in one of Troupe's refs. */
export const RemoveRequest = z.object({ tree: Worktree });

// ---- for the user ------------------------------------------------------------------------------------

export const TreeListing = z.object({
  name: z.string(),
  /** Null if it was removed and only its snapshots remain. */
  path: z.nullable(z.string()),
  branch: z.nullable(z.string()),
  owner: z.nullable(Owner),
  alive: z.boolean(),
  base: z.nullable(z.string()),
  snapshot: z.nullable(z.string()),
  /** Time of the newest snapshot or of its creation, in milliseconds since 1970. */
  at: z.number(),
  counts: z.nullable(Counts),
  result: z.nullable(WorktreeResult.shape.outcome),
  /** True if the newest merge of its edits was undone. */
  undone: z.boolean(),
});
export type TreeListing = z.infer<typeof TreeListing>;
export const ListAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("trees"), trees: z.array(TreeListing) }),
  RefusedRequest,
]);
export const NamedRequest = z.object({ folder: z.string(), name: z.string() });
export const DiffAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("diff"), text: z.string(), counts: Counts }),
  RefusedRequest,
]);
/** Restores the last content of a worktree, at its path and on its branch. */
export const RestoreAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("restored"), path: z.string(), branch: z.string() }),
  RefusedRequest,
]);
/** `force`: remove although its edits are in no checkout. One of Troupe's refs still holds them. */
export const RemoveNamedRequest = z.extend(NamedRequest, { force: z.boolean() });
export const RemovedAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("removed"), ref: z.string() }),
  /** It has unmerged edits. */
  z.object({ type: z.literal("unsaved"), paths: z.array(z.string()) }),
  RefusedRequest,
]);

/** Merges edits that stayed on their branch. `ask`: if it would delete files, does nothing yet. */
export const MergeNamedRequest = z.extend(NamedRequest, { deletions: z.enum(["ask", "do", "hold"]) });
export const MergeNamedAnswer = z.discriminatedUnion("type", [
  z.extend(Counts, {
    type: z.literal("merged"),
    merge: z.string(),
    checkout: z.string(),
    paths: z.array(z.string()),
    /** Deletions that were left out. */
    held: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  /** It has no edits, or the checkout has them already. */
  z.object({ type: z.literal("empty"), notes: z.array(z.string()) }),
  /** A merge has already brought in all of them, whatever happened to these files since; nothing was done. */
  z.object({ type: z.literal("already"), notes: z.array(z.string()) }),
  /** The files it would delete. */
  z.object({ type: z.literal("deletes"), paths: z.array(z.string()) }),
  z.extend(Counts, {
    type: z.literal("conflict"),
    conflicts: z.array(Conflict),
    notes: z.array(z.string()),
    path: z.string(),
    branch: z.string(),
  }),
  RefusedRequest,
]);

export const UndoRequest = z.object({
  folder: z.string(),
  /** ID of an agent or name of a worktree or merge; null for the latest that is not undone. */
  which: z.nullable(z.string()),
  /** Undo even if files changed since. Their current content is saved first. */
  force: z.boolean(),
});
export type UndoRequest = z.infer<typeof UndoRequest>;
export const UndoAnswer = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("undone"),
    merge: z.string(),
    title: z.string(),
    paths: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  /** Changed since the merge; nothing was done. */
  z.object({ type: z.literal("changed"), merge: z.string(), title: z.string(), paths: z.array(z.string()) }),
  z.object({ type: z.literal("nothing") }),
  RefusedRequest,
]);
export type UndoAnswer = z.infer<typeof UndoAnswer>;

/** Removes what dead owners left and is provably saved; rolls back merges that a crash cut off. */
export const SweepAnswer = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("swept"),
    removed: z.array(z.string()),
    /** Left in place, with the reason. */
    left: z.array(z.object({ name: z.string(), why: z.string() })),
    /** Merges that were cut off and rolled back. */
    rolledBack: z.array(z.string()),
  }),
  RefusedRequest,
]);
