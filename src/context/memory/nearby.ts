import { dirname, join, relative } from "node:path";
import type { Fact } from "../facts.ts";
import type { Files } from "../files.ts";
import { fitted } from "./fit.ts";
import { memoryFileBlock } from "./format.ts";
import { type Gathered, gathered, type Memory, type MemoryFile, type PathRule, projectOf } from "./memory.ts";
import { isPathInside, LOCAL, type MemoryPlace, type MemorySearch, PROJECT } from "./places.ts";

const KEY = "nearby:";
/** What others have written, which nobody here has agreed to be told by; and git's own. */
const NOT_OURS: ReadonlySet<string> = new Set(["node_modules", ".git"]);
/** Folders that are looked into for one conversation: those that it has touched last. */
const MOST_FOLDERS = 200;

/** Whether a path, relative to where the pattern holds, fits it. */
export type Fits = (pattern: string, path: string) => boolean;

export interface Nearness {
  /** Where the conversation works. */
  readonly root: string;
  /** The files that it has read or written, the last ones last. */
  readonly touched: readonly string[];
  /** What it was told before, by key. */
  readonly known: readonly string[];
  /** Characters there is room for. */
  readonly room: number;
}

/**
 * Memory of folders below the one a conversation works in, and rules for some files: known to it from when it has read or
 * written a file there. `base`: what every conversation is told. One reader for each conversation.
 */
export function nearbyReader(
  search: MemorySearch,
  files: Files,
  fits: Fits,
): (near: Nearness, base: Memory) => { readonly facts: readonly Fact[]; readonly notes: readonly string[] } {
  let last: { readonly key: string; readonly trusted: boolean; readonly found: Gathered } | null = null;
  /** Files that a rule is not about: each is compared once, however long the conversation. */
  const others = new WeakMap<PathRule, Set<string>>();

  function isAbout(rule: PathRule, touched: readonly string[]): boolean {
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

  function look(places: readonly MemoryPlace[]): Gathered {
    const trusted = search.trusted();
    const key = places.map(({ path }) => path).join("\0");
    if (last?.key === key && last.trusted === trusted && last.found.seen.isSame(files)) return last.found;
    const found = gathered(places, { search, files, trusted, before: last?.found.seen });
    last = { key, trusted, found };
    return found;
  }

  return ({ root, touched, known, room }, base) => {
    const told = new Set(known.flatMap((key) => (key.startsWith(KEY) ? [key.slice(KEY.length)] : [])));
    // A tree of an agent's own stands for the folder of the session.
    const here = touched.map((path) =>
      isPathInside(path, root) ? join(search.cwd, relative(root, path)) : path,
    );
    const rules = base.rules.filter((rule) => told.has(rule.file.path) || isAbout(rule, here));
    const ofRules = new Set(base.rules.map(({ file }) => file.path));
    const paths = [...touched, ...[...told].filter((path) => !ofRules.has(path))];
    const places = placesFor(root, paths, files);
    const { memory } = places.length === 0 ? NOTHING : look(places);
    const inBase = new Set(base.files.map(({ digest }) => digest));
    const nearby = memory.files.filter(({ digest }) => !inBase.has(digest));
    // A rule that is for all files by now is not gone.
    const moved = base.files.filter(({ path }) => told.has(path));
    const fit = fitted([...rules.map(({ file }) => file), ...nearby, ...moved], room);
    return { facts: fit.map((file, at) => factOf(file, rules[at])), notes: memory.notes };
  };
}

const NOTHING = { memory: { files: [], notes: [], rules: [] } };

/** The files that are looked for in each folder between the root and what was touched, the outermost first. */
function placesFor(root: string, paths: readonly string[], files: Files): MemoryPlace[] {
  const folders = new Set<string>();
  for (const path of paths.toReversed()) {
    if (
      relative(root, path)
        .split("/")
        .some((name) => NOT_OURS.has(name))
    )
      continue;
    for (let at = dirname(path); at !== root && isPathInside(at, root); at = dirname(at)) {
      if (folders.size >= MOST_FOLDERS) break;
      folders.add(at);
    }
  }
  if (folders.size === 0) return [];
  const reach = projectOf(root, files);
  return [...folders].sort().flatMap((folder) => [
    ...PROJECT.map((name) => ({
      scope: "project" as const,
      path: join(folder, name),
      reach,
      above: false,
    })),
    ...LOCAL.map((name) => ({ scope: "local" as const, path: join(folder, name), reach, above: false })),
  ]);
}

function factOf(file: MemoryFile, rule: PathRule | undefined): Fact {
  const why =
    rule === undefined
      ? `You have opened files below ${folderOf(file.path)}; this memory file holds there:`
      : `You have opened a file that this rule is about (${rule.paths.join(", ")}):`;
  return { key: `${KEY}${file.path}`, digest: file.digest, text: `${why}\n${memoryFileBlock(file)}` };
}

function folderOf(path: string): string {
  return dirname(path).replace(/\/\.claude$/, "");
}

/** Null: the fact was no such memory. */
export function nearbyGone(key: string): string | null {
  if (!key.startsWith(KEY)) return null;
  return `The memory file ${key.slice(KEY.length)} is no more: what it said does not hold any longer.`;
}
