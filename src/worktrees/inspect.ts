import type * as z from "zod/mini";
import type { GitEnvironment } from "./environment.ts";
import { listedTrees } from "./listed-trees.ts";
import { isRefused, repositoryAt } from "./repository.ts";
import type { InspectAnswer, InspectRequest } from "./requests.ts";

/** What a folder is to git, with every work tree of its repository. Reads only. */
export async function inspect(
  { folder }: z.infer<typeof InspectRequest>,
  ground: GitEnvironment,
): Promise<z.infer<typeof InspectAnswer>> {
  const repo = await repositoryAt(folder, ground);
  if (isRefused(repo)) return repo;
  const listed = await listedTrees(repo);
  if (isRefused(listed)) return listed;
  const trees = listed.map((tree) => ({
    path: tree.path,
    branch: tree.branch?.replace(/^refs\/heads\//, "") ?? null,
  }));
  const { top, common, head, branch } = repo;
  return { type: "repository", top, common, head, branch, trees };
}
