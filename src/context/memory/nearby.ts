import { dirname, join, relative } from "node:path";
import { isPathInside } from "../../lib/paths.ts";
import type { Fact } from "../facts.ts";
import type { Files } from "../files.ts";
import { type Memory, type MemoryFile, type MemoryRule, memoryGatherer } from "./memory.ts";
import { type MemoryPath, type MemorySearch, memoryPathsOf, projectOf } from "./memory-paths.ts";
import { deletedMemory, fitMemory, memoryFileBlock } from "./memory-text.ts";

const KEY = "nearby:";
/** Other people's memory, and git's own files. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);
/** The directories of one conversation: those that it has touched last. */
const MAX_DIRS = 200;

/** True if a path, relative to the directory of the pattern, fits it. */
export type Fits = (pattern: string, path: string) => boolean;

export interface Nearness {
  /** Where the conversation works. */
  readonly root: string;
  /** The files that it has read or written, the last ones last. */
  readonly touched: readonly string[];
  /** The keys of what it knows already. */
  readonly known: readonly string[];
  /** Characters there is room for. */
  readonly room: number;
}

/**
 * Returns a reader, one for each conversation, of memory in directories below the one it works in and of rules for some
 * files: it knows them once it has read or written a file there. `base`: what every conversation knows.
 */
export function nearbyReader(
  search: MemorySearch,
  files: Files,
  fits: Fits,
): (near: Nearness, base: Memory) => { readonly facts: readonly Fact[]; readonly notes: readonly string[] } {
  const gather = memoryGatherer(search, files);
  const dirsOf = dirsBetween();
  /** Files that a rule is not about; each is compared once, however long the conversation. */
  const others = new WeakMap<MemoryRule, Set<string>>();

  function isAbout(rule: MemoryRule, touched: readonly string[]): boolean {
    const { paths, of } = rule;
    const not = others.get(rule) ?? new Set();
    others.set(rule, not);
    return touched.some((path) => {
      if (not.has(path)) return false;
      const isOne = isPathInside(path, of) && paths.some((pattern) => fits(pattern, relative(of, path)));
      if (!isOne) not.add(path);
      return isOne;
    });
  }

  return ({ root, touched, known, room }, base) => {
    const shown = new Set(known.flatMap((key) => (key.startsWith(KEY) ? [key.slice(KEY.length)] : [])));
    // An agent's worktree stands for the directory of the session.
    const here =
      base.rules.length === 0 || root === search.cwd
        ? touched
        : touched.map((path) => (isPathInside(path, root) ? join(search.cwd, relative(root, path)) : path));
    const rules = base.rules.filter((rule) => shown.has(rule.file.path) || isAbout(rule, here));
    const ofRules = new Set(base.rules.flatMap(filesOf).map(({ path }) => path));
    const paths = [...touched, ...[...shown].filter((path) => !ofRules.has(path))];
    const memory = gather(nearbyPaths(root, paths, dirsOf, files));
    const inBase = new Set(base.files.map(({ digest }) => digest));
    const nearby = memory.files.filter(({ digest }) => !inBase.has(digest));
    // A rule that has become one for all files is not deleted.
    const moved = base.files.filter(({ path }) => shown.has(path));
    const byPath = new Map(rules.flatMap((rule) => filesOf(rule).map(({ path }) => [path, rule] as const)));
    const found = [...rules.flatMap(filesOf), ...nearby, ...moved];
    const fit = fitMemory([...new Map(found.map((file) => [file.path, file])).values()], room);
    return { facts: fit.map((file) => factOf(file, byPath.get(file.path))), notes: memory.notes };
  };
}

function filesOf({ file, imports }: MemoryRule): readonly MemoryFile[] {
  return [file, ...imports];
}

type DirsOf = (root: string, path: string) => readonly string[];

/** Returns the directories between a root and a file, the innermost first; each file is taken apart once. */
function dirsBetween(): DirsOf {
  const found = new Map<string, { readonly root: string; readonly dirs: readonly string[] }>();
  return (root, path) => {
    const known = found.get(path);
    if (known?.root === root) return known.dirs;
    const dirs: string[] = [];
    if (
      !relative(root, path)
        .split("/")
        .some((name) => SKIPPED.has(name))
    )
      for (let at = dirname(path); at !== root && isPathInside(at, root); at = dirname(at)) dirs.push(at);
    found.set(path, { root, dirs });
    return dirs;
  };
}

/** Returns the files to look for in each directory between the root and what was touched, the outermost first. */
function nearbyPaths(root: string, paths: readonly string[], dirsOf: DirsOf, files: Files): MemoryPath[] {
  const dirs = new Set<string>();
  for (const path of paths.toReversed())
    for (const dir of dirsOf(root, path)) if (dirs.size < MAX_DIRS) dirs.add(dir);
  if (dirs.size === 0) return [];
  const reach = projectOf(root, files);
  return [...dirs].sort().flatMap((dir) => memoryPathsOf(dir, reach));
}

function factOf(file: MemoryFile, rule: MemoryRule | undefined): Fact {
  const why =
    rule === undefined
      ? `You have opened files below ${dirname(file.path).replace(/\/\.claude$/, "")}; this memory file applies there:`
      : `You have opened a file that this rule is about (${rule.paths.join(", ")}):`;
  return { key: `${KEY}${file.path}`, digest: file.digest, text: `${why}\n${memoryFileBlock(file)}` };
}

/** Returns null if the fact was not such memory. */
export function nearbyGone(key: string): string | null {
  return key.startsWith(KEY) ? deletedMemory(key.slice(KEY.length)) : null;
}
