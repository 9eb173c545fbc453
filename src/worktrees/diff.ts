import { countsBetween, PLAIN_DIFF } from "./changes.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { knownTree } from "./known-trees.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { outputOf, refuseByGit } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";

/** Diffs the base against the newest snapshot; ignored files written by name come last, as new files. */
export async function diffTree(
  { folder, name }: GitRequest<"diff">,
  ground: GitEnvironment,
): Promise<SuccessOf<"diff">> {
  const repo = await repositoryAt(folder, ground);
  const { base, snapshot, ignored } = await knownTree(repo, name);
  const pairs: [string, string][] = [];
  if (base !== null && snapshot !== null) pairs.push([base, snapshot]);
  if (ignored !== null) pairs.push([await emptyTree(repo), ignored]);
  const counts = { files: 0, insertions: 0, deletions: 0 };
  const notRead = `The edits of ${name} could not be read`;
  let text = "";
  for (const [from, to] of pairs) {
    const shown = await repo.git.run([...PLAIN_DIFF, from, to]);
    const some = await countsBetween((args) => repo.git.run(args), from, to);
    text += outputOf(shown, notRead);
    if (some === null) return refuseByGit(notRead);
    counts.files += some.files;
    counts.insertions += some.insertions;
    counts.deletions += some.deletions;
  }
  return { type: "diff", text, counts };
}

/** Returns the ID of the empty tree, which depends on the object format; git knows it without having it. */
async function emptyTree(repo: Repository): Promise<string> {
  return (await repo.git.run(["hash-object", "-t", "tree", "/dev/null"])).out.trim();
}
