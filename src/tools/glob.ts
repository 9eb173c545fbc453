import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { type GlobBase, globBases } from "./glob-base.ts";
import { isIgnored, rulesIn } from "./globs/git-ignore.ts";
import { Newest } from "./globs/newest.ts";
import { globPattern } from "./globs/pattern.ts";
import { findFiles } from "./globs/walk.ts";
import { pathProblem, resolvePath } from "./paths.ts";
import { naming } from "./prompt.ts";
import { type AgentCallContext, failed, type Tool, type ToolFailure, type ToolPrompt } from "./tool.ts";

export const MAX_PATHS = 1_000;

const Input = z.strictObject({
  pattern: z.string().check(z.describe("Glob pattern that file paths must match (required)")),
  path: z.optional(z.string().check(z.describe("Folder to search in; the working directory when left out"))),
});
type Input = z.infer<typeof Input>;

/** Paths, newest first. */
interface Output {
  readonly paths: readonly string[];
  readonly notice: string | null;
}

export const globPrompt: ToolPrompt = {
  what: "Finds files by their names, quickly and in trees of any size. Patterns such as **/*.js or src/**/*.ts; the answer is absolute paths, the most recently changed first.",
  when: "when you know something of a file's name or place. Several patterns can be tried in one reply.",
  whenNot: [
    "to look into files.",
    naming`To find a text inside files use ${"Grep"}.`,
    naming`Never search with find or ls in ${"Bash"}.`,
    naming`A question that needs many rounds of searching is work for an agent (${"Agent"}).`,
  ],
  how: "pattern: * stands for any part of a name, ** for any number of folders, {a,b} for either, [ab] for one of these. path: leave it out to search the working directory; it must be a folder.",
  recover:
    "when nothing is found, put **/ in front of the pattern or search for a shorter part of the name. What git ignores is left out: to look inside an ignored folder, give that folder as path.",
  limits: `at most ${MAX_PATHS} paths, and a notice with the number of all. Folders of version control and symbolic links are not followed; files whose names begin with a dot are found.`,
};

export const globTool: Tool<Input, Output, AgentCallContext> = {
  name: "Glob",
  aliases: [],
  description: globPrompt,
  inputSchema: Input,
  permissionLevel: "read",
  parallel: true,
  title: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  accesses: (input, cwd) => foldersOf(input, cwd).map((target) => ({ kind: "read", target })),
  call: glob,
  mapToolResultToToolResultBlockParam: ({ paths, notice }) =>
    paths.length === 0 ? "No files found" : [...paths, ...(notice === null ? [] : ["", notice])].join("\n"),
};

/** Every folder that is walked down from, and the one that was named: nothing else is looked at. */
function foldersOf({ pattern, path }: Input, cwd: string): string[] {
  const asked = resolvePath(cwd, path);
  const found = globBases(asked, pattern);
  const bases = found.type === "bases" ? found.bases.map(({ folder }) => folder) : [];
  return [...new Set(path === undefined && bases.length > 0 ? bases : [asked, ...bases])];
}

async function glob(input: Input, { cwd, signal, hidden }: AgentCallContext): Promise<Output | ToolFailure> {
  signal.throwIfAborted();
  if (input.pattern.trim() === "") return failed('pattern is empty. For every file, use "**/*".');
  const asked = resolvePath(cwd, input.path);
  const complaint = await whyNoFolder(asked);
  if (complaint !== null) return failed(complaint);
  const places = globBases(asked, input.pattern);
  if (places.type === "refused") return failed(places.reason);

  const found = new Newest(MAX_PATHS, places.bases.length > 1);
  for (const base of places.bases) {
    const refusal = await search(base, found, signal);
    if (refusal !== null) return failed(refusal);
  }
  const paths = found.paths();
  // Files that a rule denies are left out of what an allowed folder has (A10.6).
  const kept = await hidden(paths);
  const shown = paths.filter((path) => !kept.has(path));
  if (shown.length > 0) return { paths: shown, notice: moreNotice(found.count) };
  if (found.count > 0) return { paths: [], notice: null };
  const meant = await stat(resolvePath(asked, input.pattern)).catch(() => null);
  if (meant?.isDirectory())
    return failed(
      `${input.pattern} is a folder; for the files in it, use "${input.pattern.replace(/\/+$/, "")}/**".`,
    );
  return { paths: [], notice: null };
}

/** A sentence where the pattern cannot be understood. */
async function search(
  { folder, pattern: text }: GlobBase,
  found: Newest,
  signal: AbortSignal,
): Promise<string | null> {
  const understood = globPattern(text);
  if (understood.type === "refused") return understood.reason;
  // A folder that git ignores and that was named was meant: nothing in it is kept back.
  const rules = isIgnored(folder) ? null : rulesIn(folder);
  await findFiles({ folder, pattern: understood.pattern, rules }, found, signal);
  return null;
}

async function whyNoFolder(path: string): Promise<string | null> {
  try {
    if ((await stat(path)).isDirectory()) return null;
    return `${path} is a file; path must be a folder, such as ${dirname(path)}.`;
  } catch (error) {
    return pathProblem(path, error);
  }
}

function moreNotice(found: number): string | null {
  return found > MAX_PATHS
    ? `[The newest ${MAX_PATHS} of ${found} files. Narrow the search with a longer pattern or a path.]`
    : null;
}
