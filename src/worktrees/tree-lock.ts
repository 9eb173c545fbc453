import type { GitEnvironment } from "./environment.ts";
import { treeRecordFolder } from "./layout.ts";
import { withLock } from "./lock.ts";

/**
 * One operation at a time per worktree, over all processes; other worktrees are not blocked. Take the repository's lock
 * first if both are needed.
 */
export function withTreeLock<T>(
  common: string,
  name: string,
  ground: GitEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  return withLock(treeRecordFolder(common, name), ground, work);
}
