import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { candidatesOf, holds, realOf } from "../engine/path-candidates.ts";
import { bothOf } from "../engine/place.ts";
import { namesIn } from "../on-disk.ts";
import { repositoriesAbout, treeOf } from "../trust/git-repository.ts";
import type { Enclosure } from "./write-scope.ts";

/** Whose a path is, to an actor in a tree. `counterpart`: the same in its own tree. */
export type Land =
  | { readonly type: "own" }
  /** What makes the tree a tree of its repository. */
  | { readonly type: "link" }
  /** `trees`: a folder of the checkout that holds the trees of others. */
  | { readonly type: "checkout" | "tree" | "trees"; readonly counterpart: string }
  /** The folder in which git keeps what all trees share. */
  | { readonly type: "git" }
  | { readonly type: "elsewhere" };

/** What belongs to whom about a tree, as it was when its actor made its first call: nothing that it does changes it. */
export interface Places {
  /** Of a path without links in it, or of one that is only looked at by its name. */
  of(path: string): Land;
}

export function placesOf({ path, checkout }: Enclosure): Places {
  const own = bothOf(path);
  const trees = bothOf(dirname(path));
  const common = repositoriesAbout(checkout).at(-1)?.common ?? null;
  const git = common === null ? [] : bothOf(common);
  const checkouts = [checkout, ...otherTrees(common)].flatMap((one) => bothOf(one));
  const inOwn = (rest: string) => `${path}${rest}`;
  return {
    of(one) {
      if (own.some((root) => holds(join(root, ".git"), one))) return { type: "link" };
      if (own.some((root) => holds(root, one))) return { type: "own" };
      const siblings = trees.find((root) => holds(root, one) && one !== root);
      if (siblings !== undefined)
        return { type: "tree", counterpart: inOwn(one.slice(siblings.length + 1).replace(/^[^/]*/, "")) };
      if (git.some((root) => holds(root, one))) return { type: "git" };
      const root = checkouts.find((folder) => holds(folder, one));
      if (root === undefined) return { type: "elsewhere" };
      const above = one !== root && trees.some((folder) => holds(one, folder));
      return above
        ? { type: "trees", counterpart: path }
        : { type: "checkout", counterpart: inOwn(one.slice(root.length)) };
    },
  };
}

/** Every way a path may be meant, with whose it is. */
export function landsOf(
  places: Places,
  path: string,
  folder: string,
  home: string,
): readonly { readonly path: string; readonly land: Land }[] {
  return candidatesOf(path, folder, home).paths.map((one) => ({ path: one, land: places.of(one) }));
}

/** True if the tree has its own file for this path: reading this one would return an old state. */
export function isStale(path: string, counterpart: string): boolean {
  return exists(counterpart) && realOf(counterpart) !== realOf(path);
}

/** Whether writing there would make a file that the tree has a place for. */
export function wouldBeMade(path: string, counterpart: string): boolean {
  return !exists(path) && exists(dirname(path)) && exists(dirname(counterpart));
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of it is a file, or it may not be looked at: it is not what the tree has.
    return false;
  }
}

/** The repository's other working trees, wherever they are: the first one, and those that git lists. */
function otherTrees(common: string | null): readonly string[] {
  if (common === null) return [];
  const first = basename(common) === ".git" ? [dirname(common)] : [];
  const worktrees = join(common, "worktrees");
  return [...first, ...namesIn(worktrees).flatMap((name) => treeOf(join(worktrees, name)) ?? [])];
}
