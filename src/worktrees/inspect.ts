import type * as z from "zod/mini";
import type { GitEnvironment } from "./environment.ts";
import { listedTrees } from "./listed-trees.ts";
import { answered, checkoutAt } from "./refusal.ts";
import type { InspectAnswer, InspectRequest } from "./requests.ts";

/** Describes a directory to git, with every worktree of its repository. Reads only. */
export function inspect(
  { folder }: z.infer<typeof InspectRequest>,
  ground: GitEnvironment,
): Promise<z.infer<typeof InspectAnswer>> {
  return answered(async () => {
    const repo = await checkoutAt(folder, ground);
    const trees = (await listedTrees(repo)).map((tree) => ({
      path: tree.path,
      branch: tree.branch?.replace(/^refs\/heads\//, "") ?? null,
    }));
    const { top, common, head, branch } = repo;
    return { type: "repository", top, common, head, branch, trees };
  });
}
