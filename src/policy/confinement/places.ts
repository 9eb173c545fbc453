import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listNames } from "../../lib/on-disk.ts";
import { candidatesOf, holds, realOf } from "../engine/path-candidates.ts";
import { bothOf } from "../engine/place.ts";
import { treeOf } from "../trust/git-repository.ts";
import { type Enclosure, sharedGit } from "./write-scope.ts";

/** The owner of a path, to an actor in a worktree. `counterpart`: the same path in its own worktree. */
export type Land =
  | { readonly type: "own" }
  /** The `.git` file that makes it a worktree of its repository. */
  | { readonly type: "link" }
  /** `trees`: a directory of the checkout that holds other worktrees. */
  | { readonly type: "checkout" | "tree" | "trees"; readonly counterpart: string }
  /** The directory with the git data that all worktrees share. */
  | { readonly type: "git" }
  | { readonly type: "elsewhere" };

/** The owners of paths around a worktree, as of its actor's first call: its later actions do not change this. */
export interface Places {
  /** For a path without links, or one that is only checked by its name. */
  of(path: string): Land;
}

export function confinedPlaces(enclosure: Enclosure): Places {
  const { path, checkout } = enclosure;
  const own = bothOf(path);
  const trees = bothOf(dirname(path));
  const common = sharedGit(enclosure);
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

/** Returns every meaning of a path, with its owner. */
export function landsOf(
  places: Places,
  path: string,
  folder: string,
  home: string,
): readonly { readonly path: string; readonly land: Land }[] {
  return candidatesOf(path, folder, home).paths.map((one) => ({ path: one, land: places.of(one) }));
}

/** True if the worktree has its own file for this path: reading this one would return an old state. */
export function isStale(path: string, counterpart: string): boolean {
  return exists(counterpart) && realOf(counterpart) !== realOf(path);
}

/** True if writing there would make a file that belongs in the worktree. */
export function wouldBeMade(path: string, counterpart: string): boolean {
  return !exists(path) && exists(dirname(path)) && exists(dirname(counterpart));
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of it is a file, or unreadable: it is not the worktree's.
    return false;
  }
}

/** Returns the repository's other working trees: the main one, and those that git lists. */
function otherTrees(common: string | null): readonly string[] {
  if (common === null) return [];
  const first = basename(common) === ".git" ? [dirname(common)] : [];
  const worktrees = join(common, "worktrees");
  return [...first, ...listNames(worktrees).flatMap((name) => treeOf(join(worktrees, name)) ?? [])];
}
