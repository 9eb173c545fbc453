import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { type IgnoreFile, ignoreFile } from "./ignore-file.ts";

/** No one writes a longer one by hand, and a pipe of that name must not be read at all. */
const MAX_BYTES = 1024 * 1024;

/** The rules that hold in a folder: those of its own ignore file stand before those of the folders above it. */
export interface IgnoreRules {
  /** Of something directly in a folder where these rules hold; `path` is absolute. */
  ignores(name: string, path: string, isFolder: boolean): boolean;
  /** With the rules of one more folder, which lies in that folder. */
  within(folder: string): IgnoreRules;
}

/**
 * What git ignores in a folder, without the person's own settings. What lies in an ignored folder is never
 * asked about, because nobody goes in there.
 */
export function rulesIn(folder: string): IgnoreRules {
  const folders = foldersDownTo(folder);
  const top = folders[0] ?? folder;
  const excluded = levelOf(top, join(top, ".git", "info", "exclude"));
  return folders.reduce((rules, at) => rules.within(at), rulesOf(excluded === null ? [] : [excluded]));
}

/** Whether git ignores a folder, or one it lies in. */
export function isIgnored(folder: string): boolean {
  for (let at = folder; at !== dirname(at) && !isRepository(at); at = dirname(at)) {
    if (rulesIn(dirname(at)).ignores(basename(at), at, true)) return true;
  }
  return false;
}

interface Level {
  /** Characters of the folder and its slash: what of a path comes after them is what the rules speak of. */
  readonly skip: number;
  readonly file: IgnoreFile;
}

/** `levels`: the nearest first. */
function rulesOf(levels: readonly Level[]): IgnoreRules {
  return {
    ignores(name, path, isFolder) {
      for (const { skip, file } of levels) {
        const verdict = file.verdict(name, path, skip, isFolder);
        if (verdict !== null) return verdict === "ignored";
      }
      return false;
    },
    within(folder) {
      const own = levelOf(folder, join(folder, ".gitignore"));
      return own === null ? this : rulesOf([own, ...levels]);
    },
  };
}

/** From the top of the repository down to the folder; without a repository, from the root of the file system. */
function foldersDownTo(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; !isRepository(at) && at !== dirname(at); at = dirname(at))
    folders.unshift(dirname(at));
  return folders;
}

/** Whether git would find a repository from there. */
export function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (isRepository(at)) return true;
    if (at === dirname(at)) return false;
  }
}

/** What cannot be looked into, such as a file where a folder was thought to be, is none. */
function isRepository(folder: string): boolean {
  try {
    return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function levelOf(folder: string, path: string): Level | null {
  const text = textOf(path);
  if (text === null) return null;
  return { skip: folder.endsWith(sep) ? folder.length : folder.length + 1, file: ignoreFile(text) };
}

function textOf(file: string): string | null {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() && stats.size <= MAX_BYTES ? readFileSync(file, "utf8") : null;
  } catch {
    return null; // Not ours to read: then it says nothing to us.
  }
}
