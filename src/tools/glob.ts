import { type Dirent, readdirSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, parse, resolve } from "node:path";
import * as z from "zod/mini";
import { expandBraces, type Glob, globOf } from "../lib/globs.ts";
import { type IgnoreRules, ignoreRulesIn, isIgnored, VCS_DIRS } from "./git-ignore.ts";
import { pathProblem, resolvePath } from "./paths.ts";
import {
  failed,
  naming,
  type ThreadCallContext,
  type Tool,
  type ToolFailure,
  type ToolPrompt,
} from "./tool.ts";

export const MAX_PATHS = 1_000;

const Input = z.strictObject({
  pattern: z.string().check(z.describe("Glob pattern that file paths must match (required)")),
  path: z.optional(z.string().check(z.describe("Directory to search; the working directory if absent"))),
});
type Input = z.infer<typeof Input>;

/** Paths, newest first. */
interface Output {
  readonly paths: readonly string[];
  readonly notice: string | null;
}

export const globPrompt: ToolPrompt = {
  what: "Finds files by their names, quickly and in trees of any size. Patterns such as **/*.js or src/**/*.ts; the result is absolute paths, the most recently changed first.",
  when: "when you know part of a file's name or path. Several patterns can be tried in one reply.",
  whenNot: [
    "to look into files.",
    naming`To find text inside files use ${"Grep"}.`,
    naming`Never search with find or ls in ${"Bash"}.`,
    naming`A question that needs many rounds of searching is work for an agent (${"Agent"}).`,
  ],
  how: "pattern: * stands for any part of a name, ** for any number of directories, {a,b} for either, [ab] for one of these. path: leave it out to search the working directory; it must be a directory.",
  recover:
    "when nothing is found, put **/ in front of the pattern or search for a shorter part of the name. What git ignores is left out: to look inside an ignored directory, give that directory as path.",
  limits: `at most ${MAX_PATHS} paths, and a notice with the number of all. Directories of version control and symbolic links are not followed; files whose names begin with a dot are found.`,
};

export const globTool: Tool<Input, Output, ThreadCallContext> = {
  name: "Glob",
  description: globPrompt,
  inputSchema: Input,
  permissionLevel: "read",
  title: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  accesses: (input, cwd) => searchedDirs(input, cwd).map((target) => ({ kind: "read", target })),
  call: glob,
  mapToolResultToToolResultBlockParam: ({ paths, notice }) =>
    paths.length === 0 ? "No files found" : [...paths, ...(notice === null ? [] : ["", notice])].join("\n"),
};

/** Returns every directory that is walked down from, and the one that was named: nothing else is looked at. */
function searchedDirs({ pattern, path }: Input, cwd: string): string[] {
  const asked = resolvePath(cwd, path);
  const found = globBases(asked, pattern);
  const dirs = found.type === "bases" ? found.bases.map(({ dir }) => dir) : [];
  return [...new Set(path === undefined && dirs.length > 0 ? dirs : [asked, ...dirs])];
}

async function glob(input: Input, { cwd, signal, hidden }: ThreadCallContext): Promise<Output | ToolFailure> {
  signal.throwIfAborted();
  if (input.pattern.trim() === "") return failed('pattern is empty. For every file, use "**/*".');
  const asked = resolvePath(cwd, input.path);
  const problem = await directoryProblem(asked);
  if (problem !== null) return failed(problem);
  const starts = globBases(asked, input.pattern);
  if (starts.type === "refused") return failed(starts.reason);

  const found = new Map<string, number>();
  for (const base of starts.bases) await findFiles(base, found, signal);
  const newest = [...found]
    .sort(([a, timeA], [b, timeB]) => timeB - timeA || (a < b ? -1 : 1))
    .slice(0, MAX_PATHS)
    .map(([path]) => path);
  // Files that a rule denies are left out of what an allowed directory has (A10.6).
  const denied = await hidden(newest);
  const paths = newest.filter((path) => !denied.has(path));
  if (paths.length > 0) return { paths, notice: moreNotice(found.size) };
  const meant = found.size > 0 ? null : await stat(resolvePath(asked, input.pattern)).catch(() => null);
  if (meant?.isDirectory())
    return failed(
      `${input.pattern} is a directory; for the files in it, use "${input.pattern.replace(/\/+$/, "")}/**".`,
    );
  return { paths: [], notice: null };
}

async function directoryProblem(path: string): Promise<string | null> {
  try {
    if ((await stat(path)).isDirectory()) return null;
    return `${path} is a file; path must be a directory, such as ${dirname(path)}.`;
  } catch (error) {
    return pathProblem(path, error);
  }
}

function moreNotice(found: number): string | null {
  return found > MAX_PATHS
    ? `[The newest ${MAX_PATHS} of ${found} files. Narrow the search with a longer pattern or a path.]`
    : null;
}

/** A directory to walk down from, and what to find there. */
export interface GlobBase {
  readonly dir: string;
  readonly glob: Glob;
}

export type GlobBases =
  | { readonly type: "bases"; readonly bases: readonly GlobBase[] }
  /** A sentence for the author of the pattern. */
  | { readonly type: "refused"; readonly reason: string };

/** Directories that one call may start from. */
const MAX_BASES = 32;

/**
 * Takes the plain names at the beginning of each alternative into the directory, so that `/abs/**`, `../x/*` and
 * `{../x,src}/*` start where they say and no more is walked than they ask for. A walk goes only down, so these
 * directories are all that it visits.
 */
export function globBases(dir: string, pattern: string): GlobBases {
  const expanded = expandBraces(pattern);
  if (expanded.type === "refused") return expanded;
  const ways = expanded.patterns.map((way) => splitPlain(dir, way));
  const away = ways.find(({ rest }) => rest.split("/").includes(".."));
  if (away !== undefined)
    return {
      type: "refused",
      reason: `.. can lead elsewhere only before the first wildcard of pattern, not in ${JSON.stringify(away.rest)}. Give that place as path.`,
    };
  const starts = Map.groupBy(ways, ({ start }) => start);
  if (starts.size > MAX_BASES)
    return {
      type: "refused",
      reason: `the braces of pattern lead to more than ${MAX_BASES} places. Search them one after the other.`,
    };
  return {
    type: "bases",
    bases: [...starts].map(([start, same]) => ({ dir: start, glob: globOf(same.map(({ rest }) => rest)) })),
  };
}

function splitPlain(dir: string, written: string): { readonly start: string; readonly rest: string } {
  const pattern = written.replace(/\/(?:\.?\/)+/g, "/").replace(/^(?:\.\/)+(?=.)/, "");
  const root = isAbsolute(pattern) ? parse(pattern).root : "";
  const parts = pattern.slice(root.length).split("/");
  const firstMagic = parts.findIndex((part) => /[*?[\\]/.test(part));
  const from = root === "" ? dir : root;
  if (firstMagic >= 0)
    return {
      start: resolve(from, parts.slice(0, firstMagic).join("/")),
      rest: parts.slice(firstMagic).join("/"),
    };
  const named = resolve(from, parts.join("/"));
  return { start: dirname(named), rest: basename(named).replace(/[*?[\\]/g, "\\$&") };
}

/** Entries after which others may have a turn: the message that stops the agent comes in between. */
const ENTRIES_PER_TURN = 2_000;

interface OpenDir {
  readonly path: string;
  readonly names: readonly string[];
  /** What git ignores is not looked at; null if everything is. */
  readonly rules: IgnoreRules | null;
}

/**
 * Adds the files of a tree that fit, with the time of their last change. Symbolic links are not followed, and directories
 * that cannot be read are passed over. Synchronous calls: through the thread pool the same takes three times as long.
 */
export async function findFiles(
  { dir, glob }: GlobBase,
  found: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  // An ignored directory that is named was meant.
  const rules = isIgnored(dir) ? null : ignoreRulesIn(dir);
  const open: OpenDir[] = [{ path: dir, names: [], rules }];
  const skipped: ReadonlySet<string> = new Set(VCS_DIRS);
  let looked = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of entriesOf(at.path)) {
      looked += 1;
      if (looked % ENTRIES_PER_TURN === 0) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      if (skipped.has(entry.name)) continue;
      const path = at.path === "/" ? `/${entry.name}` : `${at.path}/${entry.name}`;
      const names = [...at.names, entry.name];
      if (entry.isDirectory()) {
        if (glob.mayFitBelow(names) && !at.rules?.ignores(path, true))
          open.push({ path, names, rules: at.rules?.within(path) ?? null });
      } else if (entry.isFile() && glob.fits(names) && !at.rules?.ignores(path, false))
        found.set(path, changedAt(path));
    }
  }
}

function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns when a file was last changed; one that was just deleted still fits, and is listed last. */
export function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}
