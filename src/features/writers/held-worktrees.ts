import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Worktree } from "../../mailbox/worktree.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import type { ChangedFile } from "../../worktrees/protocol.ts";

/** A worktree in which an actor of this session works. */
export interface HeldTree {
  /** Its current state: its base changes when a conflict is returned to its owner. */
  tree: Worktree;
  readonly owner: ActorId;
  /** Files that calls of agents deleted, relative to its top. */
  readonly deleted: Set<string>;
  /** The newest snapshot in flight, or a resolved promise. */
  settled: Promise<void>;
  /** Merges of this session that it started with. */
  since: number;
  /** True if it may wait for its first edits: then it is made when something here needs its directory. */
  mayBeDeferred?: boolean;
}

/** A merge of this session. */
export interface EarlierMerge {
  /** The agent whose edits were merged. */
  readonly title: string;
  readonly paths: readonly string[];
  /** The start of its report: what it was about. */
  readonly intent: string;
}

export interface TreesPorts {
  readonly worktrees: Pick<Worktrees, "snapshot">;
  onWarning(message: string): void;
}

/** Receives what a call has changed according to its snapshot. */
type OnChanged = (actor: ActorId, tree: Worktree, changed: readonly ChangedFile[]) => void;

/** A call that may have written, as its snapshot needs it. */
export interface Wrote {
  readonly actor: ActorId;
  /** Absolute paths; null if it may have written anywhere. */
  readonly files: readonly string[] | null;
  /** The command, if it was one: a deletion that it does not mention is not its own (C15). */
  readonly command: string | null;
}

/**
 * The worktrees of a session by their directories, and who changed what in them and in their checkouts. Every call that
 * may write is followed by a snapshot (D9).
 */
export class HeldWorktrees {
  readonly #ports: TreesPorts;
  readonly #held = new Map<string, HeldTree>();
  readonly #listeners: OnChanged[] = [];
  readonly #merges: (EarlierMerge & { readonly checkout: string })[] = [];

  constructor(ports: TreesPorts) {
    this.#ports = ports;
  }

  onChanged(call: OnChanged): void {
    this.#listeners.push(call);
  }

  hold(tree: Worktree, owner: ActorId, since = 0): HeldTree {
    const deleted = this.#held.get(tree.path)?.deleted ?? new Set<string>();
    const held = { tree, owner, deleted, settled: Promise.resolve(), since };
    this.#held.set(tree.path, held);
    return held;
  }

  letGo({ path }: Worktree): void {
    this.#held.delete(path);
  }

  /** Returns the innermost worktree that contains this directory, or null. */
  at(folder: string): HeldTree | null {
    let found: HeldTree | null = null;
    for (const held of this.#held.values()) {
      const { path } = held.tree;
      if (folder !== path && !folder.startsWith(path + sep)) continue;
      if (found === null || path.length > found.tree.path.length) found = held;
    }
    return found;
  }

  /** Notes that the edits of a worktree are in its checkout now. */
  merged({ checkout }: Worktree, merge: EarlierMerge): void {
    this.#merges.push({ checkout, ...merge });
  }

  /** The merges so far. */
  get merges(): number {
    return this.#merges.length;
  }

  /** Returns the merges into this checkout in their order, without the first `since` of all. */
  mergedInto(checkout: string, since = 0): readonly EarlierMerge[] {
    return this.#merges.slice(since).filter((one) => one.checkout === checkout);
  }

  /**
   * Starts a snapshot after those before it. The next write awaits `settled` first, so that no unsaved edit is
   * overwritten.
   */
  wrote(held: HeldTree, wrote: Wrote): void {
    held.settled = held.settled.then(() => this.#snapshot(held, wrote));
  }

  async #snapshot(held: HeldTree, wrote: Wrote): Promise<void> {
    const { actor, files } = wrote;
    const request = { tree: held.tree, files: files === null ? null : [...files] };
    const answer = await this.#ports.worktrees.snapshot(request);
    if (answer.type === "refused")
      this.#ports.onWarning(`What agent ${actor} wrote in its worktree was not saved: ${answer.reason}`);
    else this.received(held, wrote, answer.changed);
  }

  /** Notes what was changed in a worktree, here or on a runner. */
  received(held: HeldTree, { actor, files, command }: Wrote, changed: readonly ChangedFile[]): void {
    const { tree } = held;
    for (const { path, change } of changed) {
      if (change !== "deleted") held.deleted.delete(path);
      else if (isMeant(path, files, command, tree)) held.deleted.add(path);
    }
    if (changed.length > 0) for (const call of this.#listeners) call(actor, tree, changed);
  }
}

/** Matches commands that remove or move files. */
const REMOVES =
  /(?<![\w-])(?:rm|mv|rmdir|unlink|rename|trash|git\s+(?:rm|mv|clean|revert|apply))(?![\w-])|-delete\b/;

function isMeant(
  path: string,
  files: readonly string[] | null,
  command: string | null,
  { path: top }: Worktree,
): boolean {
  if (files?.some((file) => relative(top, file).split(sep).join("/") === path)) return true;
  if (command === null) return false;
  return REMOVES.test(command) || mentions(command, path.slice(path.lastIndexOf("/") + 1));
}

/** True if a file's name is in a command as a whole: `/tmp` does not mention a file `p`. */
function mentions(command: string, name: string): boolean {
  return new RegExp(
    String.raw`(?<![\p{L}\p{N}_.-])${RegExp.escape(name)}(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])`,
    "u",
  ).test(command);
}

/**
 * A file by where its edits end up: the same in the checkout and in every worktree of it. A nested worktree counts as
 * its root checkout, as its edits are merged into its parent's worktree and from there into the checkout.
 */
export interface RepoFile {
  /** The top directory of the root checkout, or of a directory without git. */
  readonly repository: string;
  /** Relative to it, with `/`. */
  readonly path: string;
}

/** A file that a call wants to write; `file` is absolute, and may be one of several names of it. */
export interface WantedFile extends RepoFile {
  readonly file: string;
}

/** Joins with NUL, which no path contains. */
export function fileKey({ repository, path }: RepoFile): string {
  return `${repository}\0${path}`;
}

/** Returns a function that finds where the edits of an absolute path end up. */
export function fileLocator(cwd: string, trees: HeldWorktrees): (file: string) => RepoFile {
  let top: string | null = null;
  /** A worktree's checkout may be a worktree itself: files are compared in the last one. */
  const repositoryOf = (checkout: string): string => {
    const outer = trees.at(checkout);
    return outer === null ? checkout : repositoryOf(outer.tree.checkout);
  };
  return (file) => {
    const held = trees.at(dirname(file));
    if (held) return { repository: repositoryOf(held.tree.checkout), path: below(held.tree.path, file) };
    top ??= topOf(cwd);
    return file.startsWith(top + sep)
      ? { repository: top, path: below(top, file) }
      : { repository: "", path: file };
  };
}

/** Returns the nearest directory above that git would take for the top of a checkout; else the directory itself. */
function topOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

function below(top: string, file: string): string {
  return relative(top, file).split(sep).join("/");
}
