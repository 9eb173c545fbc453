import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../../lib/files.ts";
import { leadsToDirectory } from "../../lib/on-disk.ts";

/** Where a repository has its git data. All paths are absolute. */
export interface GitRepository {
  /** The data of this working tree alone. */
  readonly own: string;
  /** The data shared by all its working trees: the configuration and the hooks. */
  readonly common: string;
  /** Where its files are, unless its configuration says otherwise. */
  readonly tree: string;
}

const A_HEAD = /^(?:ref:\s*refs\/|[0-9a-f]{40,64}\s*$)/;

/**
 * Returns every directory that git may take for the repository of this one, the nearest first. Git continues upwards
 * past an invalid one, so one that only looks valid is listed and does not end the search.
 */
export function repositoriesAbout(folder: string): readonly GitRepository[] {
  const found: GitRepository[] = [];
  for (let at = resolve(folder); ; at = dirname(at)) {
    const inside = readRepository(join(at, ".git"));
    for (const repository of [inside, isWhole(bare(at)) ? bare(at) : null]) {
      if (repository === null) continue;
      found.push(repository);
      if (isWhole(repository)) return found;
    }
    if (dirname(at) === at) return found;
  }
}

/** Returns the repository of `.git`, which is a directory or a file that names one. Null if there is no repository. */
export function readRepository(dotGit: string): GitRepository | null {
  const tree = dirname(dotGit);
  if (leadsToDirectory(dotGit)) return withCommon(dotGit, tree);
  const named = /^gitdir: (.+)/.exec(textAt(dotGit) ?? "")?.[1];
  return named === undefined ? null : withCommon(resolve(tree, named.trimEnd()), tree);
}

/** Returns the working tree of a directory in git's `worktrees`; null if it does not say. */
export function treeOf(directory: string): string | null {
  const dotGit = textAt(join(directory, "gitdir"));
  return dotGit === null ? null : dirname(dotGit.trimEnd());
}

function withCommon(own: string, tree: string): GitRepository {
  const named = textAt(join(own, "commondir"))?.trimEnd() ?? "";
  return { own, common: named === "" ? own : resolve(own, named), tree };
}

function bare(folder: string): GitRepository {
  return { own: folder, common: folder, tree: folder };
}

/** True if git accepts it as a repository. */
function isWhole({ own, common }: GitRepository): boolean {
  if (!A_HEAD.test(textAt(join(own, "HEAD")) ?? "")) return false;
  return leadsToDirectory(join(common, "objects")) && leadsToDirectory(join(common, "refs"));
}

function textAt(path: string): string | null {
  const read = readRegularFile(path);
  return read.type === "read" ? read.bytes.toString() : null;
}
