import type { GitEnvironment, Repository } from "../environment.ts";
import { lastLine, refused } from "../repository.ts";
import type { Refused } from "../requests.ts";
import { chunks } from "../side-index.ts";
import { withIndex } from "./own-index.ts";

/** The agent's tree, with what it is not to have deleted. */
export async function keepDeletions(
  repo: Repository,
  base: string,
  found: string,
  hold: readonly string[],
  ground: GitEnvironment,
): Promise<{ tree: string } | Refused> {
  if (hold.length === 0) return { tree: found };
  return withIndex(repo, ground, async (index) => {
    const said = async (args: readonly string[]) => {
      const { code, out, err } = await repo.git.run(args, { index });
      return code === 0 ? out : refused(`Deletions could not be held back (git says: ${lastLine(err)}).`);
    };
    const read = await said(["read-tree", found]);
    if (typeof read !== "string") return read;
    for (const some of chunks(hold, 200)) {
      const listed = await said(["ls-tree", "-z", "--full-tree", base, "--", ...some]);
      if (typeof listed !== "string") return listed;
      const entries = [...listed.matchAll(/(\d{6}) \w+ ([0-9a-f]+)\t([^\0]+)\0/g)];
      const args = entries.flatMap(([, mode, id, path]) => ["--cacheinfo", `${mode},${id},${path}`]);
      const put = args.length === 0 ? "" : await said(["update-index", "--add", ...args]);
      if (typeof put !== "string") return put;
    }
    const written = await said(["write-tree"]);
    return typeof written === "string" ? { tree: written.trim() } : written;
  });
}
