import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { RunResult } from "../mailbox/runs.ts";
import { abortable } from "./abortable.ts";
import { isInRepository } from "./globs/git-ignore.ts";
import { grepAnswer } from "./grep-answer.ts";
import {
  DEFAULT_HEAD_LIMIT,
  GrepInput,
  MAX_COLUMNS,
  modeOf,
  ripgrepArguments,
  wrongValue,
} from "./grep-arguments.ts";
import { refusalOf, unreadableIn } from "./grep-complaints.ts";
import { byPath } from "./grep-order.ts";
import { type GrepEntry, parseCounts, parseFiles, parseLines } from "./grep-output.ts";
import { pathProblem, resolvePath } from "./paths.ts";
import { naming } from "./prompt.ts";
import { RESULT_CHARS } from "./result-size.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { type AgentCallContext, failed, type Tool, type ToolFailure, type ToolPrompt } from "./tool.ts";

const TIMEOUT_MS = 60_000;
/** Enough to count what is not shown; a search that says more than this is too wide to be of use. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

interface Output {
  readonly text: string;
}

export const grepPrompt: ToolPrompt = {
  what: "Searches the contents of files with ripgrep: regular expressions, over any number of files, with filters for paths and file types.",
  when: "ALWAYS, for every search in file contents: where something is defined, used, configured or said. Several searches can be sent in one reply.",
  whenNot: [
    "for anything but contents.",
    naming`To find files by their names use ${"Glob"}.`,
    naming`To see a file you know use ${"Read"}.`,
    naming`NEVER run grep or rg as a ${"Bash"} command: this tool has the right permissions, ignore rules and limits.`,
    naming`A question that needs many rounds of searching is work for an agent (${"Agent"}).`,
  ],
  how: `pattern is in ripgrep's syntax, not grep's: signs such as braces, brackets and dots have to be escaped to be taken literally (interface\\{\\} finds interface{}). A match stays within one line unless multiline: true. output_mode: files_with_matches (the default) gives paths, content gives path:line:text, count gives path:count. Paths inside the working directory are shown relative to it. -A, -B, -C, context and -n belong to content. A glob with a slash is matched from the folder searched.`,
  recover:
    "a pattern that ripgrep refuses comes back with its reason: correct the pattern. With no matches, try fewer words, -i, or another path; what git ignores, folders of version control and binary files are not searched unless path names them.",
  limits: `${DEFAULT_HEAD_LIMIT} lines or files unless head_limit says otherwise, with a notice of how many there are; go on with offset. head_limit: 0 shows as many as one result may have: use it sparingly, because a large result fills the context. Paths are listed newest first, lines and counts in the order of paths; lines are cut after ${MAX_COLUMNS} columns.`,
};

export const grepTool: Tool<GrepInput, Output, AgentCallContext> = {
  name: "Grep",
  aliases: [],
  description: grepPrompt,
  inputSchema: GrepInput,
  permissionLevel: "read",
  parallel: true,
  needs: "process",
  title: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  accesses: ({ path }, cwd) => [{ kind: "read", target: resolvePath(cwd, path) }],
  call: grep,
  mapToolResultToToolResultBlockParam: ({ text }) => text,
};

async function grep(input: GrepInput, context: AgentCallContext): Promise<Output | ToolFailure> {
  const complaint = wrongValue(input);
  if (complaint !== null) return failed(complaint);
  const asked = resolvePath(context.cwd, input.path);
  const place = await placeOf(asked);
  if (typeof place === "string") return failed(place);
  const file = ripgrepPath();
  if (file === null)
    return failed(
      `ripgrep is not installed for ${process.platform} on ${process.arch}, so nothing can be searched. Install Troupe again with its optional packages.`,
    );

  const result = await searchIn(place, file, input, context);
  const failure = failureOf(result);
  if (failure !== null) return failed(failure);
  const entries = await allowedOf(entriesOf(input, result, place.folder), place.folder, context);
  const found = {
    entries,
    cut: result.truncated,
    unreadable: unreadableIn(result.stderr),
    folder: place.folder,
  };
  return { text: grepAnswer(input, found, context.cwd, context.resultChars ?? RESULT_CHARS) };
}

/** Files that a rule denies are left out of what an allowed folder has (A10.6). */
async function allowedOf(
  entries: readonly GrepEntry[],
  folder: string,
  { hidden }: AgentCallContext,
): Promise<readonly GrepEntry[]> {
  const absolute = (entry: GrepEntry) => join(folder, entry.path);
  const kept = await hidden([...new Set(entries.map(absolute))]);
  return kept.size === 0 ? entries : entries.filter((entry) => !kept.has(absolute(entry)));
}

/**
 * By all threads of ripgrep. Where it says too much to be heard to its end, once more in the order of paths and
 * by one thread: what is left out must not depend on which thread was first.
 */
async function searchIn(
  { folder, target }: Place,
  file: string,
  input: GrepInput,
  { call, run, signal }: AgentCallContext,
): Promise<RunResult> {
  const inRepository = isInRepository(folder);
  const request = (inOrder: boolean) => ({
    id: inOrder ? `${call}.in-order` : call,
    file,
    // It runs where it searches, because ripgrep matches a glob with a slash from where it runs.
    args: ripgrepArguments(input, target, { inOrder, inRepository }),
    cwd: folder,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  const result = await abortable(run(request(false)), signal);
  return result.truncated ? abortable(run(request(true)), signal) : result;
}

interface Place {
  readonly folder: string;
  readonly target: string;
}

/** Where to run and what to search there, or why that cannot be. */
async function placeOf(path: string): Promise<Place | string> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { folder: path, target: "./" };
    if (stats.isFile()) return { folder: dirname(path), target: `./${basename(path)}` };
    return `${path} is neither a file nor a folder; it cannot be searched. Name a file or a folder.`;
  } catch (error) {
    return pathProblem(path, error);
  }
}

function failureOf(result: RunResult): string | null {
  if (result.truncated) return null;
  switch (result.outcome) {
    case "exited":
      return result.exitCode === 0 || result.exitCode === 1 ? null : refusalOf(result);
    case "timed-out":
      return `The search took longer than ${TIMEOUT_MS / 1_000} seconds and was ended. Narrow it with path, glob or type.`;
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

function entriesOf(input: GrepInput, { stdout, truncated }: RunResult, folder: string): GrepEntry[] {
  const mode = modeOf(input);
  switch (mode) {
    case "files_with_matches":
      return newestFirst(parseFiles(stdout, truncated), folder);
    case "count":
      return byPath(parseCounts(stdout, truncated));
    case "content":
      return byPath(parseLines(stdout, truncated));
    default:
      return mode satisfies never;
  }
}

/**
 * Ripgrep could sort by time itself, but leaves files of the same time in the order of the disk. Looked at
 * one after the other: this is the agent's own thread, and through the pool it takes four times as long.
 */
function newestFirst(entries: readonly GrepEntry[], folder: string): GrepEntry[] {
  const timed = entries.map((entry) => ({ entry, time: changedAt(join(folder, entry.path)) }));
  timed.sort((a, b) => b.time - a.time || (a.entry.path < b.entry.path ? -1 : 1));
  return timed.map(({ entry }) => entry);
}

/** A file that is gone again was still a match; it is listed last. */
function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}
