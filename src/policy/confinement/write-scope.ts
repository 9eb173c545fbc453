import { join, relative, resolve } from "node:path";
import type { ActorSpec } from "../../mailbox/messages.ts";
import type { Isolation } from "../../mailbox/worktree.ts";
import type { PermissionMode, Rule } from "../../settings/permissions.ts";
import { holds } from "../engine/path-candidates.ts";
import { repositoriesAbout } from "../trust/git-repository.ts";

/** The worktree that confines an actor. All directories are absolute. */
export interface Enclosure {
  readonly path: string;
  readonly branch: string;
  /** The top directory of the checkout that its edits are merged into. */
  readonly checkout: string;
  /** The git directory that it shares with other worktrees, if its checkout is on another machine. */
  readonly common?: string;
}

/** Returns the git directory that a worktree shares with others; null if it does not exist here. */
export function sharedGit({ checkout, common }: Enclosure): string | null {
  return common ?? repositoriesAbout(checkout).at(-1)?.common ?? null;
}

/** The part of the disk that an actor works in. */
export interface WriteScope {
  /** The base of its relative paths: the session's directory, or its counterpart in the actor's worktree. */
  readonly root: string;
  /** Further directories of its workspace. */
  readonly additionalDirs: readonly string[];
  /** Null if it works in the user's own checkout, or outside a repository. */
  readonly tree: Enclosure | null;
  /** The most permissive mode for its calls, whatever the session's is. */
  readonly atMost?: PermissionMode;
  /** Temporary rules of this actor alone, such as those of a skill it uses. */
  readonly lent?: readonly Rule[];
}

/** What the scope of an actor follows from. */
export interface ScopedActor {
  readonly root: string;
  readonly spec: Pick<ActorSpec, "isolation" | "permissionMode"> & {
    readonly additionalDirs: readonly string[];
  };
}

/**
 * Returns an actor's write scope. `held`: the worktree of its root, as the session holds it. `added`: the session's
 * directories as they are now. Additional directories inside the checkout become those of the worktree.
 */
export function writeScope(
  { root, spec }: ScopedActor,
  held: Enclosure | null,
  added: AddedDirs,
): WriteScope {
  const { isolation, permissionMode } = spec;
  const additionalDirs = added.of(spec.additionalDirs);
  const own = permissionMode === undefined ? {} : { atMost: permissionMode };
  const tree = enclosingWorktree(root, isolation, held);
  if (tree === null) return { root, additionalDirs, tree, ...own };
  const { path, checkout } = tree;
  const inTree = (folder: string) =>
    holds(checkout, folder) && !holds(path, folder) ? join(path, relative(checkout, folder)) : folder;
  return { root, additionalDirs: additionalDirs.map(inTree), tree, ...own };
}

/** Returns an actor's own worktree, even while it is not held, and also if it is on a runner. */
export function enclosingWorktree(
  root: string,
  isolation: Isolation | undefined,
  held: Enclosure | null,
): Enclosure | null {
  const own = isolation && { ...isolation, path: isolation.away ?? isolation.path };
  const from = held ?? (own !== undefined && holds(own.path, root) ? own : null);
  if (from === null) return null;
  const { path, branch, checkout } = from;
  const common = held?.common;
  return { path, branch, checkout, ...(common === undefined ? {} : { common }) };
}

/** The directories that a session adds to its own. A client may open and close some while agents work. */
export class AddedDirs {
  readonly #known: Set<string>;
  #now: readonly string[];
  #isChanged = false;

  constructor(dirs: readonly string[]) {
    this.#now = dirs;
    this.#known = new Set(dirs);
  }

  get now(): readonly string[] {
    return this.#now;
  }

  replace(dirs: readonly string[]): void {
    this.#now = dirs.map((dir) => resolve(dir));
    this.#isChanged = true;
    for (const dir of this.#now) this.#known.add(dir);
  }

  /** Returns what an actor's directories are by now: without those that were removed since it started, with the new ones. */
  of(dirs: readonly string[]): readonly string[] {
    if (!this.#isChanged) return dirs;
    const kept = dirs.filter((dir) => !this.#known.has(dir) || this.#now.includes(dir));
    return [...new Set([...kept, ...this.#now])];
  }
}
