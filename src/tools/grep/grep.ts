import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { abortable } from "../../lib/clock.ts";
import type { RunResult } from "../../mailbox/runs.ts";
import { isInRepository } from "../git-ignore.ts";
import { changedAt } from "../glob.ts";
import { pathProblem, resolvePath } from "../paths.ts";
import {
  failed,
  naming,
  RESULT_CHARS,
  type ThreadCallContext,
  type Tool,
  type ToolFailure,
  type ToolPrompt,
} from "../tool.ts";
import {
  DEFAULT_HEAD_LIMIT,
  GrepInput,
  grepInputProblem,
  MAX_COLUMNS,
  modeOf,
  ripgrepArguments,
} from "./grep-arguments.ts";
import {
  type GrepEntry,
  grepAnswer,
  grepRefusal,
  parseCounts,
  parseFiles,
  parseLines,
  sortByPath,
  unreadableIn,
} from "./grep-output.ts";
import { ripgrepPath } from "./ripgrep.ts";

const TIMEOUT_MS = 60_000;
/** Enough to count what is not shown; a search that writes more than this is too wide to be useful. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

interface Output {
  readonly text: string;
}

export const grepPrompt: ToolPrompt = {
  what: "Searches the contents of files with ripgrep: regular expressions, over any number of files, with filters for paths and file types.",
  when: "ALWAYS, for every search in file contents: where something is defined, used, configured or mentioned. Several searches can be sent in one reply.",
  whenNot: [
    "for anything but contents.",
    naming`To find files by their names use ${"Glob"}.`,
    naming`To see a file you know use ${"Read"}.`,
    naming`NEVER run grep or rg as a ${"Bash"} command: this tool has the right permissions, ignore rules and limits.`,
    naming`A question that needs many rounds of searching is work for an agent (${"Agent"}).`,
  ],
  how: `pattern is in ripgrep's syntax, not grep's: literal braces, brackets and dots must be escaped (interface\\{\\} finds interface{}). A match stays within one line unless multiline: true. output_mode: files_with_matches (the default) gives paths, content gives path:line:text, count gives path:count. Paths inside the working directory are shown relative to it. -A, -B, -C, context and -n belong to content. A glob with a slash is matched from the directory searched.`,
  recover:
    "for a pattern that ripgrep refuses you get the reason: correct the pattern. With no matches, try fewer words, -i, or another path; what git ignores, directories of version control and binary files are not searched unless path names them.",
  limits: `${DEFAULT_HEAD_LIMIT} lines or files unless head_limit says otherwise, with a notice of how many there are; continue with offset. head_limit: 0 shows as many as one result may have: use it sparingly, because a large result fills the context. Paths are listed newest first, lines and counts in the order of paths; lines are cut after ${MAX_COLUMNS} columns.`,
};

export const grepTool: Tool<GrepInput, Output, ThreadCallContext> = {
  name: "Grep",
  description: grepPrompt,
  inputSchema: GrepInput,
  permissionLevel: "read",
  needsHost: true,
  title: ({ pattern, path = ".", glob }) => {
    const where = [...(path === "." ? [] : [path]), ...(glob === undefined ? [] : [glob])];
    return where.length === 0 ? pattern : `${pattern} in ${where.join(", ")}`;
  },
  accesses: ({ path }, cwd) => [{ kind: "read", target: resolvePath(cwd, path) }],
  call: grep,
  mapToolResultToToolResultBlockParam: ({ text }) => text,
};

async function grep(input: GrepInput, context: ThreadCallContext): Promise<Output | ToolFailure> {
  const problem = grepInputProblem(input);
  if (problem !== null) return failed(problem);
  const asked = resolvePath(context.cwd, input.path);
  const target = await findTarget(asked);
  if (typeof target === "string") return failed(target);
  const file = ripgrepPath();
  if (file === null)
    return failed(
      `ripgrep is not installed for ${process.platform} on ${process.arch}, so it cannot search. Install Troupe again with its optional packages.`,
    );

  const result = await search(target, file, input, context);
  const failure = failureOf(result);
  if (failure !== null) return failed(failure);
  const { dir } = target;
  const entries = await withoutDenied(entriesOf(input, result, dir), dir, context);
  const found = {
    entries,
    cut: result.truncated,
    unreadable: unreadableIn(result.stderr),
    dir,
  };
  return { text: grepAnswer(input, found, context.cwd, context.resultChars ?? RESULT_CHARS) };
}

/** Files that a rule denies are left out of what an allowed directory has (A10.6). */
async function withoutDenied(
  entries: readonly GrepEntry[],
  dir: string,
  { hidden }: ThreadCallContext,
): Promise<readonly GrepEntry[]> {
  const absolute = (entry: GrepEntry) => join(dir, entry.path);
  const denied = await hidden([...new Set(entries.map(absolute))]);
  return denied.size === 0 ? entries : entries.filter((entry) => !denied.has(absolute(entry)));
}

/**
 * Searches with all threads of ripgrep. If it writes too much to be read to its end, it searches again with one thread in
 * the order of paths: what is left out must not depend on which thread was first.
 */
async function search(
  { dir, name }: Target,
  file: string,
  input: GrepInput,
  { call, run, signal }: ThreadCallContext,
): Promise<RunResult> {
  const inRepository = isInRepository(dir);
  const request = (inOrder: boolean) => ({
    id: inOrder ? `${call}.in-order` : call,
    file,
    // Ripgrep matches a glob with a slash from where it runs.
    args: ripgrepArguments(input, name, { inOrder, inRepository }),
    cwd: dir,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  const result = await abortable(run(request(false)), signal);
  return result.truncated ? abortable(run(request(true)), signal) : result;
}

interface Target {
  readonly dir: string;
  readonly name: string;
}

/** Returns where to run and what to search there, or why that is not possible. */
async function findTarget(path: string): Promise<Target | string> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { dir: path, name: "./" };
    if (stats.isFile()) return { dir: dirname(path), name: `./${basename(path)}` };
    return `${path} is neither a file nor a directory, so it cannot be searched. Name a file or a directory.`;
  } catch (error) {
    return pathProblem(path, error);
  }
}

function failureOf(result: RunResult): string | null {
  if (result.truncated) return null;
  switch (result.outcome) {
    case "exited":
      return result.exitCode === 0 || result.exitCode === 1 ? null : grepRefusal(result);
    case "timed-out":
      return `The search was ended after ${TIMEOUT_MS / 1_000} seconds. Narrow it with path, glob or type.`;
    case "not-started":
    case "unknown":
      return result.reason ?? "The search could not be run. Try again.";
    case "signalled":
    case "cancelled":
      return `The search was ended (${result.signal ?? result.outcome}) before it was complete. Try again.`;
    default:
      return result.outcome satisfies never;
  }
}

function entriesOf(input: GrepInput, { stdout, truncated }: RunResult, dir: string): GrepEntry[] {
  const mode = modeOf(input);
  switch (mode) {
    case "files_with_matches":
      return newestFirst(parseFiles(stdout, truncated), dir);
    case "count":
      return sortByPath(parseCounts(stdout, truncated));
    case "content":
      return sortByPath(parseLines(stdout, truncated));
    default:
      return mode satisfies never;
  }
}

/**
 * Ripgrep could sort by time itself, but leaves files of the same time in the order of the disk. Synchronous calls:
 * through the thread pool it takes four times as long.
 */
function newestFirst(entries: readonly GrepEntry[], dir: string): GrepEntry[] {
  const timed = entries.map((entry) => ({ entry, time: changedAt(join(dir, entry.path)) }));
  timed.sort((a, b) => b.time - a.time || (a.entry.path < b.entry.path ? -1 : 1));
  return timed.map(({ entry }) => entry);
}
