import type * as z from "zod/mini";
import { countsBetween, PLAIN_DIFF } from "./changes.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { knownTree } from "./known-trees.ts";
import { isRefused, lastLine, refused, repositoryAt } from "./repository.ts";
import type { DiffAnswer, NamedRequest } from "./requests.ts";

/** From the base to the newest snapshot; ignored files that were written by name come after all else, as new ones. */
export async function diffTree(
  { folder, name }: z.infer<typeof NamedRequest>,
  ground: GitEnvironment,
): Promise<z.infer<typeof DiffAnswer>> {
  const repo = await repositoryAt(folder, ground);
  if (isRefused(repo)) return repo;
  const tree = await knownTree(repo, name);
  if ("type" in tree) return tree;
  const { base, snapshot, ignored } = tree;
  const pairs: [string, string][] = [];
  if (base !== null && snapshot !== null) pairs.push([base, snapshot]);
  if (ignored !== null) pairs.push([await emptyTree(repo), ignored]);
  const counts = { files: 0, insertions: 0, deletions: 0 };
  let text = "";
  for (const [from, to] of pairs) {
    const shown = await repo.git.run([...PLAIN_DIFF, from, to]);
    const some = await countsBetween((args) => repo.git.run(args), from, to);
    if (shown.code !== 0 || some === null)
      return refused(`The edits of ${name} could not be read (git says: ${lastLine(shown.err)}).`);
    text += shown.out;
    counts.files += some.files;
    counts.insertions += some.insertions;
    counts.deletions += some.deletions;
  }
  return { type: "diff", text, counts };
}

/** Its name depends on how the repository names things; git knows it without having it. */
async function emptyTree(repo: Repository): Promise<string> {
  return (await repo.git.run(["hash-object", "-t", "tree", "/dev/null"])).out.trim();
}
