import type { GitEnvironment } from "./environment.ts";
import { treeRecordFolder } from "./layout.ts";
import { withLock } from "./lock.ts";

/**
 * One at a time for what is done with one tree, over all processes; others go on with theirs. Who needs the
 * repository's lock as well takes that one first.
 */
export function withTreeLock<T>(
  common: string,
  name: string,
  ground: GitEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  return withLock(treeRecordFolder(common, name), ground, work);
}
