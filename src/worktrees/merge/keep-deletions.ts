import type { GitEnvironment, Repository } from "../environment.ts";
import { withIndex } from "../own-index.ts";
import { outputOf } from "../refusal.ts";
import { chunks } from "../side-index.ts";

/** Returns the agent's tree with the deletions to leave out put back. */
export async function keepDeletions(
  repo: Repository,
  base: string,
  found: string,
  hold: readonly string[],
  ground: GitEnvironment,
): Promise<string> {
  if (hold.length === 0) return found;
  return withIndex(repo, ground, async (index) => {
    const said = async (args: readonly string[]) =>
      outputOf(await repo.git.run(args, { index }), "Deletions could not be held back");
    await said(["read-tree", found]);
    for (const some of chunks(hold, 200)) {
      const listed = await said(["ls-tree", "-z", "--full-tree", base, "--", ...some]);
      const entries = [...listed.matchAll(/(\d{6}) \w+ ([0-9a-f]+)\t([^\0]+)\0/g)];
      const args = entries.flatMap(([, mode, id, path]) => ["--cacheinfo", `${mode},${id},${path}`]);
      if (args.length > 0) await said(["update-index", "--add", ...args]);
    }
    return (await said(["write-tree"])).trim();
  });
}
