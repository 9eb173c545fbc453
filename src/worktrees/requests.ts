import * as z from "zod/mini";
import { Conflict, Worktree, WorktreeResult } from "../mailbox/worktree.ts";

/**
 * What can be asked of the keeper of trees, and what it answers. Plain data: the keeper is a process of its own, the
 * only one that runs git for us. Every answer is an outcome; only bugs reject.
 */

/** It could not be done, and nothing was changed; a sentence a person can act on. */
export const Refused = z.object({
  type: z.literal("refused"),
  reason: z.string(),
  /** The keeper died before it answered: what was asked may have been done, or a part of it. */
  died: z.optional(z.literal(true)),
});
export type Refused = z.infer<typeof Refused>;

// ---- what a folder is ------------------------------------------------------------------------------

export const InspectRequest = z.object({ folder: z.string() });
export const Inspection = z.object({
  type: z.literal("repository"),
  /** The top folder of the checkout that `folder` is in. */
  top: z.string(),
  /** Its common git folder. */
  common: z.string(),
  head: z.nullable(z.string()),
  /** Null: detached. */
  branch: z.nullable(z.string()),
  /** Every work tree git lists, the first one first. */
  trees: z.array(z.object({ path: z.string(), branch: z.nullable(z.string()) })),
});
export type Inspection = z.infer<typeof Inspection>;
export const InspectAnswer = z.discriminatedUnion("type", [Inspection, Refused]);

/** Whether files that rules are about were ever tracked, in any commit that a ref, a reflog or the index leads to. */
export const EverTrackedRequest = z.object({
  folder: z.string(),
  /** Directories that its top stands for besides: the checkout of a worktree. */
  alsoAt: z.array(z.string()),
  /** As rules have them: `.env`, `/secrets/**`, `~/x`. */
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
  /** Also where the history is too large, or not all here. */
  Refused,
]);
export type EverTrackedAnswer = z.infer<typeof EverTrackedAnswer>;

// ---- making one ------------------------------------------------------------------------------------

/** Who works in a tree: a sweeper leaves the trees of the living alone. */
export const Owner = z.object({
  session: z.string(),
  actor: z.string(),
  process: z.object({ pid: z.number(), startedAt: z.nullable(z.string()) }),
});
export type Owner = z.infer<typeof Owner>;

/** `checkout`: HEAD and all that is not committed; `head`: HEAD alone; `fresh`: the remote's default branch (A16.1). */
export const BaseRef = z.enum(["checkout", "head", "fresh"]);
export type BaseRef = z.infer<typeof BaseRef>;

export const CreateRequest = z.object({
  /** Any folder of the checkout it is made from, and its edits come back to. */
  folder: z.string(),
  name: z.string(),
  owner: Owner,
  baseRef: BaseRef,
  /** Folders, relative to the top, that are linked or copied where they are there and ignored: `node_modules`. */
  dependencies: z.array(z.object({ folder: z.string(), how: z.enum(["link", "copy"]) })),
});
export type CreateRequest = z.infer<typeof CreateRequest>;
export const CreateAnswer = z.discriminatedUnion("type", [
  /** `notes`: what was left out, and what the base does not have. */
  z.object({ type: z.literal("created"), tree: Worktree, notes: z.array(z.string()) }),
  Refused,
]);
export type CreateAnswer = z.infer<typeof CreateAnswer>;

/**
 * The tree of an actor that goes on: as it is, with its new owner; put back, where it was removed with edits that are in
 * no checkout; else made anew in the same place, on what the checkout is now.
 */
export const ClaimAnswer = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("claimed"),
    tree: Worktree,
    how: z.enum(["as-it-is", "put-back", "made-anew"]),
    notes: z.array(z.string()),
  }),
  Refused,
]);
export type ClaimAnswer = z.infer<typeof ClaimAnswer>;

// ---- keeping every edit ----------------------------------------------------------------------------

export const SnapshotRequest = z.object({
  tree: Worktree,
  /** Files that a call wrote, absolute; null: it may have written anywhere. Ignored ones are kept where they are named. */
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
  /** `changed`: since the snapshot before it; `commit`: the one that holds all of it; `notes`: what it does not hold. */
  z.object({
    type: z.literal("taken"),
    commit: z.string(),
    changed: z.array(ChangedFile),
    notes: z.array(z.string()),
  }),
  Refused,
]);
export type SnapshotAnswer = z.infer<typeof SnapshotAnswer>;

/** Whether two trees change the same lines of a file, each counted from its own base. */
export const OverlapRequest = z.object({ one: Worktree, other: Worktree, path: z.string() });
export const OverlapAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("overlap"), lines: z.enum(["same", "others", "unknown"]) }),
  Refused,
]);

// ---- bringing edits back -----------------------------------------------------------------------------

export const Counts = z.object({ files: z.number(), insertions: z.number(), deletions: z.number() });
export type Counts = z.infer<typeof Counts>;

export const PrepareRequest = z.object({
  tree: Worktree,
  /** Files that calls of the agent deleted, relative to the top; other deletions are `strange`. */
  deleted: z.array(z.string()),
  /** Put the merged files into the agent's tree, for a command that checks them; `settle` puts its own back. */
  forCheck: z.boolean(),
});
export type PrepareRequest = z.infer<typeof PrepareRequest>;
export const PrepareAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("empty"), notes: z.array(z.string()) }),
  z.extend(Counts, {
    type: z.literal("clean"),
    /** Trees: of the checkout as it was found, and of what it would become. */
    checkout: z.string(),
    merged: z.string(),
    paths: z.array(z.string()),
    /** Deletions that no call of the agent made. */
    strange: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  z.extend(Counts, { type: z.literal("conflict"), conflicts: z.array(Conflict), notes: z.array(z.string()) }),
  Refused,
]);
export type PrepareAnswer = z.infer<typeof PrepareAnswer>;

export const ApplyRequest = z.object({
  tree: Worktree,
  /** As `prepare` said: where the checkout is another by now, the answer is `moved` and nothing was written. Null: as it is. */
  expects: z.nullable(z.string()),
  /** Deletions that are not carried out. */
  hold: z.array(z.string()),
  /** One commit with this message, on what HEAD is; null: none. */
  commit: z.nullable(z.string()),
  /** Who the edits are of, for `undo` and lists. */
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
  /** Found while it was written: all of it was taken back. */
  z.extend(Counts, { type: z.literal("conflict"), conflicts: z.array(Conflict), notes: z.array(z.string()) }),
  Refused,
]);
export type ApplyAnswer = z.infer<typeof ApplyAnswer>;

/** The agent's tree is as it left it again, after a check. */
export const SettleRequest = z.object({ tree: Worktree });
export const DoneAnswer = z.discriminatedUnion("type", [z.object({ type: z.literal("done") }), Refused]);

/** The conflict goes back to its owner: its tree is based on what the checkout is now, with marks in the files. */
export const RebaseRequest = z.object({ tree: Worktree });
export const RebaseAnswer = z.discriminatedUnion("type", [
  /** Without conflicts: the edits fit by now. */
  z.object({ type: z.literal("rebased"), tree: Worktree, conflicts: z.array(Conflict) }),
  Refused,
]);
export type RebaseAnswer = z.infer<typeof RebaseAnswer>;

/** The edits stay on their branch, as one commit. */
export const KeepRequest = z.object({ tree: Worktree, message: z.string() });
export const KeepAnswer = z.discriminatedUnion("type", [
  z.extend(Counts, { type: z.literal("kept"), commit: z.string(), notes: z.array(z.string()) }),
  z.object({ type: z.literal("empty") }),
  Refused,
]);
export type KeepAnswer = z.infer<typeof KeepAnswer>;

/** The tree and its branch go; every byte of it is in a ref of ours first, else it is refused. */
export const RemoveRequest = z.object({ tree: Worktree });

// ---- for the person ----------------------------------------------------------------------------------

export const TreeListing = z.object({
  name: z.string(),
  /** Null: it is removed, and its snapshots are there. */
  path: z.nullable(z.string()),
  branch: z.nullable(z.string()),
  owner: z.nullable(Owner),
  alive: z.boolean(),
  base: z.nullable(z.string()),
  snapshot: z.nullable(z.string()),
  /** Milliseconds since 1970, of the newest snapshot or of its making. */
  at: z.number(),
  counts: z.nullable(Counts),
  result: z.nullable(WorktreeResult.shape.outcome),
  /** The newest merge of its edits was taken back. */
  undone: z.boolean(),
});
export type TreeListing = z.infer<typeof TreeListing>;
export const ListAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("trees"), trees: z.array(TreeListing) }),
  Refused,
]);
export const NamedRequest = z.object({ folder: z.string(), name: z.string() });
export const DiffAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("diff"), text: z.string(), counts: Counts }),
  Refused,
]);
/** All that a tree ever held last is there again, in its place, on its branch. */
export const RestoreAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("restored"), path: z.string(), branch: z.string() }),
  Refused,
]);
/** `force`: though its edits are in no checkout. They stay in a ref of ours even then. */
export const RemoveNamedRequest = z.extend(NamedRequest, { force: z.boolean() });
export const RemovedAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("removed"), ref: z.string() }),
  /** It has edits that were not brought back. */
  z.object({ type: z.literal("unsaved"), paths: z.array(z.string()) }),
  Refused,
]);

/** Edits that stayed on their branch come into the checkout. `ask`: where it deletes files, nothing is done yet. */
export const MergeNamedRequest = z.extend(NamedRequest, { deletions: z.enum(["ask", "do", "hold"]) });
export const MergeNamedAnswer = z.discriminatedUnion("type", [
  z.extend(Counts, {
    type: z.literal("merged"),
    merge: z.string(),
    checkout: z.string(),
    paths: z.array(z.string()),
    /** Deletions that were not carried out. */
    held: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  /** It has none, or the checkout has them already. */
  z.object({ type: z.literal("empty"), notes: z.array(z.string()) }),
  /** A merge has brought all of them in, whatever became of these files since; nothing was done. */
  z.object({ type: z.literal("already"), notes: z.array(z.string()) }),
  /** What it would delete. */
  z.object({ type: z.literal("deletes"), paths: z.array(z.string()) }),
  z.extend(Counts, {
    type: z.literal("conflict"),
    conflicts: z.array(Conflict),
    notes: z.array(z.string()),
    path: z.string(),
    branch: z.string(),
  }),
  Refused,
]);

export const UndoRequest = z.object({
  folder: z.string(),
  /** An agent's id, a tree's name or a merge's; null: the latest that is not undone. */
  which: z.nullable(z.string()),
  /** Also where files were changed since. What they are now is put aside first. */
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
  Refused,
]);
export type UndoAnswer = z.infer<typeof UndoAnswer>;

/** Removes what dead owners left behind and is provably saved; takes back merges that a death cut off. */
export const SweepAnswer = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("swept"),
    removed: z.array(z.string()),
    /** Left alone, and why. */
    left: z.array(z.object({ name: z.string(), why: z.string() })),
    /** Merges that were cut off and are taken back. */
    rolledBack: z.array(z.string()),
  }),
  Refused,
]);
