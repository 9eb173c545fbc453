import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { compileName, compilePath, fitsPath } from "../lib/globs.ts";
import { ancestors } from "../lib/paths.ts";

/** Stores of version control: never searched, because what is in them is not the project's text (A10.6). */
export const VCS_DIRS = [".git", ".hg", ".svn", ".jj"] as const;
/** No one writes a longer ignore file by hand, and a pipe of that name must not be read at all. */
const MAX_BYTES = 1024 * 1024;

/** The rules that hold in a directory: those of its own ignore file come before those of the directories above it. */
export interface IgnoreRules {
  /** Says whether something in the directory is ignored; `path` is absolute. */
  ignores(path: string, isDir: boolean): boolean;
  /** The same with the rules of one directory in it. */
  within(dir: string): IgnoreRules;
}

/**
 * Returns what git ignores in a directory, without the user's own settings. Nothing in an ignored directory is asked
 * about, because no walk enters it.
 */
export function ignoreRulesIn(dir: string): IgnoreRules {
  const dirs = dirsDownTo(dir);
  const top = dirs[0] ?? dir;
  const excluded = readRules(top, join(top, ".git", "info", "exclude"));
  return dirs.reduce((rules, at) => rules.within(at), rulesOf(excluded === null ? [] : [excluded]));
}

/** True if git ignores a directory, or one that it is in. */
export function isIgnored(dir: string): boolean {
  for (let at = dir; at !== dirname(at) && !isRepository(at); at = dirname(at))
    if (ignoreRulesIn(dirname(at)).ignores(at, true)) return true;
  return false;
}

/** True if git would find a repository from there. */
export function isInRepository(dir: string): boolean {
  return [...ancestors(dir), "/"].some(isRepository);
}

type Verdict = "ignored" | "kept" | null;

/** What one ignore file says about something in its directory or below; null if it says nothing. */
export type IgnoreFile = (relativePath: string, isDir: boolean) => Verdict;

interface Level {
  /** Characters of the directory and its slash; the rules are about what comes after them. */
  readonly skip: number;
  readonly file: IgnoreFile;
}

/** `levels`: the nearest first. */
function rulesOf(levels: readonly Level[]): IgnoreRules {
  return {
    ignores(path, isDir) {
      for (const { skip, file } of levels) {
        const verdict = file(path.slice(skip), isDir);
        if (verdict !== null) return verdict === "ignored";
      }
      return false;
    },
    within(dir) {
      const own = readRules(dir, join(dir, ".gitignore"));
      return own === null ? this : rulesOf([own, ...levels]);
    },
  };
}

/** From the top of the repository down to the directory; without a repository, from the root of the file system. */
function dirsDownTo(dir: string): string[] {
  const dirs = [dir];
  for (let at = dir; !isRepository(at) && at !== dirname(at); at = dirname(at)) dirs.unshift(dirname(at));
  return dirs;
}

function isRepository(dir: string): boolean {
  try {
    return lstatSync(join(dir, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It cannot be looked into, such as a file in the place of a directory.
    return false;
  }
}

function readRules(dir: string, path: string): Level | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MAX_BYTES) return null;
    return {
      skip: dir.endsWith("/") ? dir.length : dir.length + 1,
      file: parseIgnoreFile(readFileSync(path, "utf8")),
    };
  } catch {
    return null;
  }
}

/** Reads the text of a .gitignore. The last rule that fits decides. */
export function parseIgnoreFile(text: string): IgnoreFile {
  const rules = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((line) => parseRule(line) ?? [])
    .reverse();
  return (path, isDir) => {
    const name = basename(path);
    const rule = rules.find(({ onlyDirs, fits }) => (isDir || !onlyDirs) && fits(path, name));
    return rule === undefined ? null : rule.keeps ? "kept" : "ignored";
  };
}

interface Rule {
  readonly keeps: boolean;
  readonly onlyDirs: boolean;
  fits(path: string, name: string): boolean;
}

function parseRule(line: string): Rule | null {
  // Spaces at the end count only after a backslash.
  let rest = line.replace(/\r$/, "").replace(/((?:\\.|[^\\ ])?) +$/, "$1");
  if (rest === "" || rest.startsWith("#")) return null;
  const keeps = rest.startsWith("!");
  if (keeps) rest = rest.slice(1);
  const onlyDirs = rest.endsWith("/");
  if (onlyDirs) rest = rest.slice(0, -1);
  const isPath = rest.includes("/");
  const pattern = rest.startsWith("/") ? rest.slice(1) : rest;
  if (pattern === "") return null;
  return { keeps, onlyDirs, fits: isPath ? compilePathRule(pattern) : compileNameRule(pattern) };
}

function compileNameRule(pattern: string): Rule["fits"] {
  const fits = compileName(pattern);
  return (_, name) => fits(name);
}

function compilePathRule(pattern: string): Rule["fits"] {
  if (!/[*?[\\]/.test(pattern)) return (path) => path === pattern;
  const segments = compilePath(pattern);
  return (path) => fitsPath(segments, path.split("/"));
}
