import type { GitEnvironment } from "./environment.ts";
import { listedTrees } from "./listed-trees.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { repositoryAt } from "./repository.ts";

/** Describes a directory to git, with every worktree of its repository. Reads only. */
export async function inspect(
  { folder, trees: asked }: GitRequest<"inspect">,
  ground: GitEnvironment,
): Promise<SuccessOf<"inspect">> {
  const repo = await repositoryAt(folder, ground);
  const trees = (asked === false ? [] : await listedTrees(repo)).map((tree) => ({
    path: tree.path,
    branch: tree.branch?.replace(/^refs\/heads\//, "") ?? null,
  }));
  const { top, common, head, branch } = repo;
  return { type: "repository", top, common, head, branch, trees };
}
