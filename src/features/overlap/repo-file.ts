/**
 * A file by where its edits end up: the same one in the checkout and in every tree made from it. A tree within a tree
 * counts as its root checkout: its edits come back to its parent's tree, and from there to the checkout.
 */
export interface RepoFile {
  /** The top folder of the root checkout, or of the folder that is none. */
  readonly repository: string;
  /** Relative to it, with `/`. */
  readonly path: string;
}

/** No path has a NUL in it. */
export function fileKey({ repository, path }: RepoFile): string {
  return `${repository}\0${path}`;
}
