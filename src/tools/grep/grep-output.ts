import { join } from "node:path";
import type { RunResult } from "../../mailbox/runs.ts";
import { shownPath } from "../paths.ts";
import { charsOf } from "../tool.ts";
import { DEFAULT_HEAD_LIMIT, type GrepInput, modeOf, type OutputMode } from "./grep-arguments.ts";

/** One line of ripgrep's output. Paths are relative to where it ran. */
export type GrepEntry =
  | {
      readonly type: "line";
      readonly path: string;
      readonly line: number;
      readonly match: boolean;
      readonly text: string;
      /** Lines between this one and the last entry were left out. */
      readonly gap: boolean;
    }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "count"; readonly path: string; readonly count: number }
  | { readonly type: "binary"; readonly path: string };

/** Parses the output of `--files-with-matches --null`. With `cut`, the last path may be incomplete. */
export function parseFiles(stdout: string, cut: boolean): GrepEntry[] {
  return piecesOf(stdout, "\0", cut).map((path) => ({ type: "file", path: withoutDot(path) }));
}

/** Parses the output of `--count --null`. */
export function parseCounts(stdout: string, cut: boolean): GrepEntry[] {
  return piecesOf(stdout, "\n", cut).flatMap((row): GrepEntry[] => {
    const [path, count] = splitAtNul(row);
    return count === undefined ? [] : [{ type: "count", path: withoutDot(path), count: Number(count) }];
  });
}

/** Parses the output of `--line-number --null`: `path NUL number : text`, with `-` for `:` in lines of context. */
export function parseLines(stdout: string, cut: boolean): GrepEntry[] {
  let gap = false;
  return piecesOf(stdout, "\n", cut).flatMap((row): GrepEntry[] => {
    const [path, rest] = splitAtNul(row);
    if (rest === undefined) {
      gap ||= row === "--";
      const [, binary] = /^(.*): binary file matches/.exec(row) ?? [];
      return binary === undefined ? [] : [{ type: "binary", path: withoutDot(binary) }];
    }
    const [, line, mark, text] = /^(\d+)([:-])(.*)$/s.exec(rest) ?? [];
    if (line === undefined || text === undefined) return [];
    const entry = { path: withoutDot(path), line: Number(line), text: text.replace(/\r$/, "") };
    const afterGap = gap;
    gap = false;
    return [{ type: "line", ...entry, match: mark === ":", gap: afterGap }];
  });
}

/** Sorts files by path, the entries of each as they came: as one thread of ripgrep would write what several found. */
export function sortByPath(entries: readonly GrepEntry[]): GrepEntry[] {
  const files = [...Map.groupBy(entries, ({ path }) => path)].map(([path, found]) => ({
    found,
    // Directory by directory, as ripgrep sorts: `a/b` comes before `a.ts`.
    key: path.replaceAll("/", "\0"),
  }));
  // With context there is a gap between files as well, but none before the one that came first.
  const hasGaps = files.slice(1).some(({ found: [first] }) => first?.type === "line" && first.gap);
  files.sort((a, b) => (a.key < b.key ? -1 : 1));
  return files.flatMap(({ found: [first, ...rest] }) =>
    first === undefined ? [] : [first.type === "line" ? { ...first, gap: hasGaps } : first, ...rest],
  );
}

function piecesOf(stdout: string, end: string, cut: boolean): string[] {
  const pieces = stdout.split(end);
  const last = pieces.pop();
  return cut || last === undefined || last === "" ? pieces : [...pieces, last];
}

function splitAtNul(row: string): [string, string | undefined] {
  const at = row.indexOf("\0");
  return at < 0 ? [row, undefined] : [row.slice(0, at), row.slice(at + 1)];
}

function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/** For the notices after the rows. */
const NOTICE_CHARS = 500;

export interface GrepMatches {
  readonly entries: readonly GrepEntry[];
  /** Ripgrep was ended because it had written enough: there is more than was counted. */
  readonly cut: boolean;
  /** What it could not read, as `path: reason`. */
  readonly unreadable: readonly string[];
  /** The directory in which it ran: its paths are relative to it. */
  readonly dir: string;
}

/** Returns what the model gets: the entries asked for, then notices in brackets. */
export function grepAnswer(input: GrepInput, found: GrepMatches, cwd: string, chars: number): string {
  const offset = input.offset ?? 0;
  const limit = input.head_limit ?? DEFAULT_HEAD_LIMIT;
  const asked = found.entries.slice(offset, limit === 0 ? undefined : offset + limit);
  const all = asked.map((entry, at) => rowOf(entry, input, found.dir, cwd, at === 0));
  const rows = firstThatFit(all, chars - NOTICE_CHARS);
  const notices = [
    ...moreNotice(found, modeOf(input), offset, rows.length),
    ...totalNotice(found),
    ...unreadableNotice(found.unreadable),
  ];
  return [
    ...(rows.length > 0 ? rows : [noRows(found, offset)]),
    ...(notices.length > 0 ? ["", ...notices] : []),
  ].join("\n");
}

function rowOf(entry: GrepEntry, input: GrepInput, dir: string, cwd: string, isFirst: boolean): string {
  const path = shownPath(cwd, join(dir, entry.path));
  switch (entry.type) {
    case "file":
      return path;
    case "count":
      return `${path}:${entry.count}`;
    case "binary":
      return `${path}: binary file matches`;
    case "line": {
      const mark = entry.match ? ":" : "-";
      const number = input["-n"] === false ? "" : `${entry.line}${mark}`;
      return `${entry.gap && !isFirst ? "--\n" : ""}${path}${mark}${number}${entry.text}`;
    }
    default:
      return entry satisfies never;
  }
}

/** At least one. */
function firstThatFit(rows: readonly string[], chars: number): readonly string[] {
  let room = chars;
  const end = rows.findIndex((row, at) => {
    room -= charsOf(row) + 1;
    return room < 0 && at > 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

const NOUN: Readonly<Record<OutputMode, string>> = {
  content: "lines",
  files_with_matches: "files",
  count: "files",
};

function moreNotice(
  { entries, cut }: GrepMatches,
  mode: OutputMode,
  offset: number,
  shown: number,
): string[] {
  const end = offset + shown;
  if (shown === 0 || (end >= entries.length && !cut)) return [];
  const all = `${cut ? "more than " : ""}${entries.length} ${NOUN[mode]}`;
  const next = end < entries.length ? `Continue with offset: ${end}, or narrow` : "Narrow";
  return [`[Showing ${offset + 1} to ${end} of ${all}. ${next} the search with path, glob or type.]`];
}

function totalNotice({ entries, cut }: GrepMatches): string[] {
  const counts = entries.flatMap((entry) => (entry.type === "count" ? [entry.count] : []));
  if (counts.length === 0) return [];
  const sum = counts.reduce((a, b) => a + b, 0);
  return [
    `[${cut ? "More than " : ""}${sum} in ${counts.length} ${counts.length === 1 ? "file" : "files"}.]`,
  ];
}

function unreadableNotice(unreadable: readonly string[]): string[] {
  const [first] = unreadable;
  if (first === undefined) return [];
  const paths = unreadable.length === 1 ? "1 path" : `${unreadable.length} paths`;
  return [`[${paths} could not be read, such as ${first}]`];
}

function noRows({ entries }: GrepMatches, offset: number): string {
  if (entries.length === 0) return "No matches found";
  return `Nothing from offset ${offset} on: there are ${entries.length} results in all.`;
}

/** `rg: ./path: Permission denied (os error 13)`: a path that it passed over. */
const PASSED_OVER = /^rg: (.+) \(os error \d+\)$/;

/** Returns what could not be read, as `path: reason`. */
export function unreadableIn(stderr: string): string[] {
  return stderr.split("\n").flatMap((line) => {
    const problem = PASSED_OVER.exec(line)?.[1];
    return problem === undefined ? [] : [problem.replace(/^\.\//, "")];
  });
}

/** Returns why ripgrep did not search and what to do; null if it only passed over some paths. */
export function grepRefusal({ stderr, exitCode }: RunResult): string | null {
  if (unreadableIn(stderr).length > 0) return null;
  const reason = stderr
    .split("\n\n")
    // This advice is about flags that the tool does not have.
    .filter((paragraph) => !paragraph.startsWith("Consider enabling"))
    .join("\n")
    .trim();
  return `ripgrep refused the search: ${reason.replace(/^rg: /, "") || `exit code ${exitCode}`}\n${adviceFor(reason)}`;
}

function adviceFor(reason: string): string {
  if (reason.includes("look-around") || reason.includes("backreferences"))
    return "Search for a simpler pattern, and find the right matches by reading them.";
  if (reason.includes("not allowed in a regex"))
    return "For a match over several lines, set multiline: true.";
  if (reason.includes("regex parse error"))
    return "Correct the pattern; literal signs need a backslash, as in \\{ or \\(.";
  if (reason.includes("size limit")) return "Search for a simpler pattern, with smaller numbers in braces.";
  if (reason.includes("unrecognized file type")) return "Use glob instead of type, for example '*.xyz'.";
  if (reason.includes("parsing glob")) return "Correct the glob, for example '*.{ts,tsx}'.";
  return "Correct the input and search again.";
}
