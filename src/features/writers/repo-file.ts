import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { HeldWorktrees } from "./held-worktrees.ts";

/**
 * A file by where its edits end up: the same in the checkout and in every worktree of it. A nested worktree counts as
 * its root checkout, as its edits are merged into its parent's worktree and from there into the checkout.
 */
export interface RepoFile {
  /** The top directory of the root checkout, or of a directory without git. */
  readonly repository: string;
  /** Relative to it, with `/`. */
  readonly path: string;
}

/** A file that a call wants to write; `file` is absolute, and may be one of several names of it. */
export interface WantedFile extends RepoFile {
  readonly file: string;
}

/** Joins with NUL, which no path contains. */
export function fileKey({ repository, path }: RepoFile): string {
  return `${repository}\0${path}`;
}

/** Returns a function that finds where the edits of an absolute path end up. */
export function fileLocator(cwd: string, trees: HeldWorktrees): (file: string) => RepoFile {
  let top: string | null = null;
  /** A worktree's checkout may be a worktree itself: files are compared in the last one. */
  const repositoryOf = (checkout: string): string => {
    const outer = trees.at(checkout);
    return outer === null ? checkout : repositoryOf(outer.tree.checkout);
  };
  return (file) => {
    const held = trees.at(dirname(file));
    if (held) return { repository: repositoryOf(held.tree.checkout), path: below(held.tree.path, file) };
    top ??= topOf(cwd);
    return file.startsWith(top + sep)
      ? { repository: top, path: below(top, file) }
      : { repository: "", path: file };
  };
}

/** Returns the nearest directory above that git would take for the top of a checkout; else the directory itself. */
function topOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

function below(top: string, file: string): string {
  return relative(top, file).split(sep).join("/");
}
