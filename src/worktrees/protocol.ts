import * as z from "zod/mini";
import type * as Rpc from "../mailbox/rpc/table.ts";
import { Conflict, Worktree, WorktreeResult } from "../mailbox/worktree.ts";

/**
 * Requests and responses of the git worker, as plain data: the git worker is a process of its own, the only one that
 * runs git. Every response is an outcome; only bugs reject. Paths in a worktree or checkout are relative to its top,
 * with `/`.
 */

/** The operation is impossible and changed nothing; a sentence the user can act on. */
const RefusedRequest = z.object({
  type: z.literal("refused"),
  reason: z.string(),
  /** The git worker died before it responded: the request may have been carried out, wholly or in part. */
  died: z.optional(z.literal(true)),
});
export type RefusedRequest = z.infer<typeof RefusedRequest>;

/** The owner of a worktree: a sweep skips the worktrees of live owners. */
export const Owner = z.object({
  session: z.string(),
  actor: z.string(),
  process: z.object({ pid: z.number(), startedAt: z.nullable(z.string()) }),
});
export type Owner = z.infer<typeof Owner>;

/** `checkout`: HEAD and everything uncommitted; `head`: HEAD alone; `fresh`: the remote's default branch (A16.1). */
const BaseRef = z.enum(["checkout", "head", "fresh"]);
export type BaseRef = z.infer<typeof BaseRef>;

/** A repository that a session and its runners reach (`troupe.runners.remote`), for what is too large for the engine. */
const TravelRemote = z.object({
  url: z.string(),
  /** The directory of an attempt's refs there, as a full name. */
  refs: z.string(),
});
export type TravelRemote = z.infer<typeof TravelRemote>;

const ChangedFile = z.object({ path: z.string(), change: z.enum(["added", "modified", "deleted"]) });
export type ChangedFile = z.infer<typeof ChangedFile>;

const Counts = z.object({ files: z.number(), insertions: z.number(), deletions: z.number() });
export type Counts = z.infer<typeof Counts>;

const TreeListing = z.object({
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
  /** It has no directory before its agent, on another machine, has edits. */
  deferred: z.optional(z.literal(true)),
});
export type TreeListing = z.infer<typeof TreeListing>;

const Paths = z.array(z.string());
/** What was left out, and what else the user should know. */
const Notes = z.array(z.string());
const InFolder = z.object({ folder: z.string() });
const Named = z.object({ folder: z.string(), name: z.string() });
const OfTree = z.object({ tree: Worktree });
/** Directories, relative to the top, to link or copy if they exist and are ignored: `node_modules`. */
export const Dependencies = z.array(z.object({ folder: z.string(), how: z.enum(["link", "copy"]) }));
const Create = z.extend(Named, {
  owner: Owner,
  baseRef: BaseRef,
  dependencies: Dependencies,
  /** For an agent on another machine: untracked files with secrets are left out of its base. */
  travels: z.optional(z.literal(true)),
  /** It is made with the first edits that arrive, or by `make`: most agents on other machines only read. */
  deferred: z.optional(z.literal(true)),
});
const Conflicted = z.extend(Counts, {
  type: z.literal("conflict"),
  conflicts: z.array(Conflict),
  notes: Notes,
});

function outcome<const Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) {
  return z.object({ ...shape, type: z.literal(type) });
}

function answer<const Outcomes extends readonly z.core.$ZodTypeDiscriminable[]>(...outcomes: Outcomes) {
  return z.discriminatedUnion("type", [RefusedRequest, ...outcomes]);
}

/** Every operation of the git worker, with its request and response. */
/** Lines of the base that a change replaces: from `start` up to, not including, `end`, counted from 0; equal if lines were only added. */
const Hunk = z.object({ start: z.number(), end: z.number() });
export type Hunk = z.infer<typeof Hunk>;

export const GIT_OPERATIONS = {
  inspect: {
    /** `trees`: false for none. */
    request: z.extend(InFolder, { trees: z.optional(z.literal(false)) }),
    response: answer(
      outcome("repository", {
        /** The top directory of the checkout that contains `folder`. */
        top: z.string(),
        /** Its common git directory. */
        common: z.string(),
        head: z.nullable(z.string()),
        /** Null if HEAD is detached. */
        branch: z.nullable(z.string()),
        /** Every worktree git lists, the first one first. */
        trees: z.array(z.object({ path: z.string(), branch: z.nullable(z.string()) })),
      }),
    ),
  },
  /**
   * Whether files named by rules were ever tracked, in any commit that a ref, a reflog or the index leads to; refused
   * also if the history is too large or incomplete. If aborted, it keeps what was read, and the next request continues
   * from there.
   */
  everTracked: {
    request: z.extend(InFolder, {
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
    }),
    /** One for each pattern. */
    response: answer(outcome("tracked", { answers: z.array(z.enum(["yes", "no"])) })),
  },
  create: {
    request: Create,
    response: answer(outcome("created", { tree: Worktree, notes: Notes })),
  },
  /** Makes a deferred worktree now; does nothing if it was made. */
  make: { request: OfTree, response: answer(outcome("done", { notes: Notes })) },
  /**
   * The worktree of a resumed actor: as it is, with its new owner; restored if it was removed with unmerged edits;
   * otherwise made again at the same path, on the checkout as it is now.
   */
  claim: {
    request: Create,
    response: answer(
      outcome("claimed", {
        tree: Worktree,
        how: z.enum(["as-it-is", "put-back", "created-again"]),
        notes: Notes,
      }),
    ),
  },
  snapshot: {
    /** `files`: absolute paths that a call wrote; null if it may have written anywhere. Ignored ones are kept if named. */
    request: z.extend(OfTree, { files: z.nullable(z.array(z.string())) }),
    /** `changed`: since the last snapshot; `commit`: the one that holds everything. */
    response: answer(outcome("taken", { commit: z.string(), changed: z.array(ChangedFile), notes: Notes })),
  },
  changedLines: {
    request: z.extend(OfTree, { path: z.string() }),
    response: answer(
      outcome("lines", {
        /** The ID of the file in the base of the worktree; null if it is not there. */
        blob: z.nullable(z.string()),
        /** Null if the file is binary; empty if it is unchanged. */
        hunks: z.nullable(z.array(Hunk)),
      }),
    ),
  },
  prepare: {
    request: z.extend(OfTree, {
      /** Files that the agent's calls deleted; other deletions are `strange`. */
      deleted: Paths,
      /** Put the merged files into the agent's worktree for a check; `settle` restores its own. */
      forCheck: z.boolean(),
      /** The same without any edits: then it shows the checkout. */
      emptyToo: z.optional(z.boolean()),
    }),
    response: answer(
      outcome("empty", { notes: Notes }),
      outcome("clean", {
        ...Counts.shape,
        /** Trees of the checkout as found, and of the merged result. */
        checkout: z.string(),
        merged: z.string(),
        paths: Paths,
        strange: Paths,
        notes: Notes,
      }),
      Conflicted,
    ),
  },
  /** Cannot be aborted half-way: either everything is in the checkout, or nothing. */
  apply: {
    request: z.extend(OfTree, {
      /** The checkout that `prepare` saw: if it has changed, nothing is written (`moved`). Null accepts any. */
      expects: z.nullable(z.string()),
      /** Deletions to leave out. */
      hold: Paths,
      /** Message of one commit on HEAD; null makes none. */
      commit: z.nullable(z.string()),
      /** The owner of the edits, for `undo` and lists. */
      owner: Owner,
      title: z.string(),
    }),
    response: answer(
      outcome("merged", {
        ...Counts.shape,
        merge: z.string(),
        commit: z.nullable(z.string()),
        notes: Notes,
      }),
      outcome("moved", {}),
      /** Found during the write: everything was rolled back. */
      Conflicted,
    ),
  },
  /** Restores the agent's worktree after a check. */
  settle: { request: OfTree, response: answer(outcome("done", {})) },
  /** Returns the conflict to its owner: bases its worktree on the checkout as it is now, with marks in the files. */
  rebase: {
    request: OfTree,
    /** Without conflicts the edits merge by now. */
    response: answer(outcome("rebased", { tree: Worktree, conflicts: z.array(Conflict) })),
  },
  /** Leaves the edits on their branch, as one commit. */
  keep: {
    request: z.extend(OfTree, { message: z.string() }),
    response: answer(
      outcome("kept", { ...Counts.shape, commit: z.string(), notes: Notes }),
      outcome("empty", {}),
    ),
  },
  /** Removes the worktree and its branch; refused unless every byte is in one of Troupe's refs. */
  remove: { request: OfTree, response: answer(outcome("done", {})) },
  list: {
    /** `name`: only this one. */
    request: z.extend(InFolder, { name: z.optional(z.string()) }),
    response: answer(outcome("trees", { trees: z.array(TreeListing) })),
  },
  diff: { request: Named, response: answer(outcome("diff", { text: z.string(), counts: Counts })) },
  /** Restores the last content of a worktree, at its path and on its branch. */
  restore: {
    request: Named,
    response: answer(outcome("restored", { path: z.string(), branch: z.string() })),
  },
  removeNamed: {
    /** `force`: remove although its edits are in no checkout. One of Troupe's refs still holds them. */
    request: z.extend(Named, { force: z.boolean() }),
    /** `unsaved`: it has unmerged edits. */
    response: answer(outcome("removed", { ref: z.string() }), outcome("unsaved", { paths: Paths })),
  },
  /** Merges edits that stayed on their branch. */
  mergeNamed: {
    /** `ask`: if it would delete files, does nothing yet. */
    request: z.extend(Named, { deletions: z.enum(["ask", "do", "hold"]) }),
    response: answer(
      outcome("merged", {
        ...Counts.shape,
        merge: z.string(),
        checkout: z.string(),
        paths: Paths,
        /** Deletions that were left out. */
        held: Paths,
        notes: Notes,
      }),
      /** It has no edits, or the checkout has them already. */
      outcome("empty", { notes: Notes }),
      /** A merge has already brought in all of them, whatever happened to these files since; nothing was done. */
      outcome("already", { notes: Notes }),
      /** The files it would delete. */
      outcome("deletes", { paths: Paths }),
      z.extend(Conflicted, { path: z.string(), branch: z.string() }),
    ),
  },
  undo: {
    request: z.extend(InFolder, {
      /** ID of an agent or name of a worktree or merge; null for the latest that is not undone. */
      which: z.nullable(z.string()),
      /** Undo even if files changed since. Their current content is saved first. */
      force: z.boolean(),
    }),
    response: answer(
      outcome("undone", { merge: z.string(), title: z.string(), paths: Paths, notes: Notes }),
      /** Changed since the merge; nothing was done. */
      outcome("changed", { merge: z.string(), title: z.string(), paths: Paths }),
      outcome("nothing", {}),
    ),
  },
  /**
   * Writes the files of a worktree, or of a checkout with what is not committed there, as a bundle for another machine.
   * Ignored files, submodules, hooks and settings do not travel.
   */
  exportTree: {
    request: z.object({
      source: z.discriminatedUnion("type", [
        /** `at`: a commit that was imported; the worktree gets its files, too. Otherwise it is exported as it is. */
        z.object({ type: z.literal("tree"), tree: Worktree, at: z.optional(z.string()) }),
        z.object({ type: z.literal("checkout"), folder: z.string() }),
      ]),
      /** Commits that the receiver has; unknown ones are ignored. */
      have: z.array(z.string()),
      /** The directory for the bundle, which the caller removes. */
      into: z.string(),
      /** Where it goes if it is too large for a bundle, or the receiver lacks the whole repository. */
      remote: z.optional(TravelRemote),
    }),
    response: answer(
      outcome("exported", {
        /** Names the repository on every machine. */
        repository: z.string(),
        commit: z.string(),
        /** Null if the receiver has the commit already, or it was pushed to the remote. */
        bundle: z.nullable(z.string()),
        isPushed: z.boolean(),
        bytes: z.number(),
        /** How many untracked files of the checkout are in it. */
        untracked: z.number(),
        notes: Notes,
      }),
    ),
  },
  /** Gives a worktree exactly the files of a commit that came from a runner: its newest snapshot. */
  importEdits: {
    request: z.union([
      z.extend(OfTree, { commit: z.string(), bundle: z.string() }),
      z.extend(OfTree, { commit: z.string(), remote: TravelRemote }),
    ]),
    /** `changed`: since what the worktree had before. */
    response: answer(
      outcome("imported", { snapshot: z.string(), changed: z.array(ChangedFile), notes: Notes }),
    ),
  },
  /** Deletes what travelled through the remote for an agent, up to this attempt. */
  dropRemoteRefs: {
    /** `agent`: the directory of its refs. */
    request: z.extend(InFolder, { url: z.string(), agent: z.string(), attempt: z.number() }),
    response: answer(outcome("done", {})),
  },
  /** Removes what dead owners left and is provably saved; rolls back merges that a crash cut off. */
  sweep: {
    /** `except`: the session whose worktrees are left alone, as its agents claim them again. */
    request: z.extend(InFolder, { except: z.optional(z.string()) }),
    response: answer(
      outcome("swept", {
        removed: z.array(z.string()),
        /** Left in place, with the reason. */
        left: z.array(z.object({ name: z.string(), why: z.string() })),
        rolledBack: z.array(z.string()),
      }),
    ),
  },
} as const;

export type OperationName = keyof typeof GIT_OPERATIONS;
export type GitRequest<Op extends OperationName> = Rpc.RequestOf<typeof GIT_OPERATIONS, Op>;
/** The response of an operation that was possible: it throws a `GitRefusal` otherwise. */
export type SuccessOf<Op extends OperationName> = Exclude<AnswerOf<Op>, RefusedRequest>;
export type AnswerOf<Op extends OperationName> = Rpc.ResponseOf<typeof GIT_OPERATIONS, Op>;
