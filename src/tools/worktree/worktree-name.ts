/** Characters of a worktree's name (A3.23). */
export const MAX_WORKTREE_NAME_CHARS = 64;

/** True if a worktree may be requested by this name: segments between slashes (checklist A22.35). */
export function isWorktreeName(name: string): boolean {
  const isSegment = (segment: string) =>
    /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.\.?$|\.lock$/.test(segment);
  return name.length <= MAX_WORKTREE_NAME_CHARS && name.split("/").every(isSegment);
}

/** Returns the name of its directory and refs. Two names can map to one, so check whether it is taken. */
export function treeNameFor(name: string): string {
  return name.replaceAll("/", "-").replace(/^[.-]|\.(?=\.|$)/g, "_");
}
