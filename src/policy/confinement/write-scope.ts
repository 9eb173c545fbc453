import type { PermissionMode, Rule } from "../../settings/rules.ts";

/** A worktree that an actor works in, as far as it holds the actor. All folders are absolute. */
export interface Enclosure {
  readonly path: string;
  readonly branch: string;
  /** The top directory of the checkout that its edits are merged into. */
  readonly checkout: string;
}

/** The part of the disk that an actor works in. */
export interface WriteScope {
  /** Where its paths begin: the session's own folder, or what that is in the actor's tree. */
  readonly root: string;
  /** Further directories of its workspace. */
  readonly additionalDirs: readonly string[];
  /** Null if it works in the user's own checkout, or in no repository. */
  readonly tree: Enclosure | null;
  /** The widest mode that its calls are judged in, whatever the session's is. */
  readonly atMost?: PermissionMode;
  /** Rules that hold for this actor alone and for the time being, such as those of a skill it works by. */
  readonly lent?: readonly Rule[];
}
