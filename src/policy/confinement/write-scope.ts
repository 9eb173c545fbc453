import type { PermissionMode, Rule } from "../../settings/rules.ts";
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
