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

/** Joins with NUL, which no path contains. */
export function fileKey({ repository, path }: RepoFile): string {
  return `${repository}\0${path}`;
}
