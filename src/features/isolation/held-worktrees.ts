import { relative, sep } from "node:path";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Worktree } from "../../mailbox/worktree.ts";
import type { ChangedFile } from "../../worktrees/requests.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";

/** A tree that somebody of this session works in. */
export interface HeldTree {
  /** As it is now: its base changes when a conflict goes back to its owner. */
  tree: Worktree;
  readonly owner: ActorId;
  /** Files that calls of agents deleted, relative to its top. */
  readonly deleted: Set<string>;
  /** The newest snapshot on its way; resolved where there is none. */
  settled: Promise<void>;
  /** So many of the merges of this session it began with. */
  since: number;
}

export interface TreesPorts {
  readonly worktrees: Pick<Worktrees, "snapshot">;
  onWarning(message: string): void;
}

/** What a call has changed, as its snapshot found it. */
type OnChanged = (actor: ActorId, tree: Worktree, changed: readonly ChangedFile[]) => void;

/** A call that may have written, as far as its snapshot needs to know. */
export interface Wrote {
  readonly actor: ActorId;
  /** Absolute; null: it may have written anywhere. */
  readonly files: readonly string[] | null;
  /** The command, where it was one: a deletion it does not speak of is not its own (C15). */
  readonly command: string | null;
}

/** The trees of a session, by the folders below them. Every call that may write is followed by a snapshot (D9). */
export class HeldWorktrees {
  readonly #ports: TreesPorts;
  readonly #held = new Map<string, HeldTree>();
  readonly #listeners: OnChanged[] = [];

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

  /** The tree that this folder is in; the innermost, where one stands in another. */
  at(folder: string): HeldTree | null {
    let found: HeldTree | null = null;
    for (const held of this.#held.values()) {
      const { path } = held.tree;
      if (folder !== path && !folder.startsWith(path + sep)) continue;
      if (found === null || path.length > found.tree.path.length) found = held;
    }
    return found;
  }

  get all(): readonly HeldTree[] {
    return [...this.#held.values()];
  }

  /** Begins at once, after those before it. Whoever writes next waits for `settled` first: nothing is written over unsaved. */
  wrote(held: HeldTree, wrote: Wrote): void {
    held.settled = held.settled.then(() => this.#snapshot(held, wrote));
  }

  async #snapshot(held: HeldTree, { actor, files, command }: Wrote): Promise<void> {
    const { tree } = held;
    const answer = await this.#ports.worktrees.snapshot({ tree, files: files === null ? null : [...files] });
    if (answer.type === "refused") {
      this.#ports.onWarning(
        `What agent ${actor} wrote in its worktree was not saved besides: ${answer.reason}`,
      );
      return;
    }
    for (const { path, change } of answer.changed) {
      if (change !== "deleted") held.deleted.delete(path);
      else if (isMeant(path, files, command, tree)) held.deleted.add(path);
    }
    if (answer.changed.length > 0) for (const call of this.#listeners) call(actor, tree, answer.changed);
  }
}

/** Words by which a command says that it removes or moves files. */
const REMOVES = /\b(rm|mv|rmdir|unlink|rename|trash|git\s+(?:rm|mv|clean|revert|apply))\b|-delete\b/;

function isMeant(
  path: string,
  files: readonly string[] | null,
  command: string | null,
  { path: top }: Worktree,
): boolean {
  if (files?.some((file) => relative(top, file).split(sep).join("/") === path)) return true;
  if (command === null) return false;
  return REMOVES.test(command) || command.includes(path.slice(path.lastIndexOf("/") + 1));
}
