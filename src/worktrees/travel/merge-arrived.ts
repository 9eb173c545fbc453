import type { GitEnvironment, LocatedRepository } from "../environment.ts";
import { mergeTree } from "../merge/merge-tree.ts";
import { withIndex } from "../own-index.ts";
import { outputOf } from "../refusal.ts";

const FAILED = "The edits of a runner could not be merged with what was changed here";

/**
 * Merges what an agent has edited on a runner with what was changed in its worktree here. Where both have changed the same lines, the
 * runner's file is taken, and a note says so: the other one is in an older snapshot.
 */
export async function mergeArrived(
  repo: LocatedRepository,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
  ground: GitEnvironment,
): Promise<{ readonly root: string; readonly notes: readonly string[] }> {
  const merged = await mergeTree(repo.git, ours, theirs);
  if (merged.type === "clean") return { root: merged.tree, notes: [] };
  const paths = merged.conflicts.map(({ path }) => path);
  const root = await withIndex(repo, ground, async (index) => {
    const said = async (...args: string[]) => outputOf(await repo.git.run(args, { index }), FAILED).trim();
    await said("read-tree", merged.tree);
    for (const { path, sides } of merged.conflicts) {
      const file = sides.get(3);
      if (file === undefined) await said("update-index", "--force-remove", "--", path);
      else await said("update-index", "--add", "--replace", "--cacheinfo", `${file.mode},${file.id},${path}`);
    }
    return said("write-tree");
  });
  const note = `its runner and another agent have changed the same lines of ${paths.join(", ")}; the runner's are there now, and the others are in an older snapshot.`;
  return { root, notes: [note] };
}
