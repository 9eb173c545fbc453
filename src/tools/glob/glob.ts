import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { pathProblem, resolvePath } from "../paths.ts";
import { naming } from "../prompt.ts";
import { failed, type ThreadCallContext, type Tool, type ToolFailure, type ToolPrompt } from "../tool.ts";
import { globBases } from "./glob-bases.ts";
import { findFiles } from "./walk.ts";

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
