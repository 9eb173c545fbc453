import { join } from "node:path";
import { DEFAULT_HEAD_LIMIT, type GrepInput, modeOf, type OutputMode } from "./grep-arguments.ts";
import type { GrepEntry } from "./grep-output.ts";
import { shownPath } from "./paths.ts";
import { charsOf } from "./result-size.ts";

/** For the notices after the rows. */
const NOTICE_CHARS = 500;

export interface GrepMatches {
  readonly entries: readonly GrepEntry[];
  /** Ripgrep was ended because it had said enough: there is more than was counted. */
  readonly cut: boolean;
  /** What it could not read, in its own words. */
  readonly unreadable: readonly string[];
  /** Where it ran: what its paths are relative to. */
  readonly folder: string;
}

/** What the model gets: the entries asked for, then notices in brackets. */
export function grepAnswer(input: GrepInput, found: GrepMatches, cwd: string, chars: number): string {
  const offset = input.offset ?? 0;
  const limit = input.head_limit ?? DEFAULT_HEAD_LIMIT;
  const asked = found.entries.slice(offset, limit === 0 ? undefined : offset + limit);
  const all = asked.map((entry, at) => rowOf(entry, input, found.folder, cwd, at === 0));
  const rows = fitting(all, chars - NOTICE_CHARS);
  const notices = [
    ...moreNotice(found, modeOf(input), offset, rows.length),
    ...totalNotice(found),
    ...unreadableNotice(found.unreadable),
  ];
  return [
    ...(rows.length > 0 ? rows : [nothing(found, offset)]),
    ...(notices.length > 0 ? ["", ...notices] : []),
  ].join("\n");
}

function rowOf(entry: GrepEntry, input: GrepInput, folder: string, cwd: string, first: boolean): string {
  const path = shownPath(cwd, join(folder, entry.path));
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
      return `${entry.gap && !first ? "--\n" : ""}${path}${mark}${number}${entry.text}`;
    }
    default:
      return entry satisfies never;
  }
}

/** The first rows that fit; one in any case. */
function fitting(rows: readonly string[], chars: number): readonly string[] {
  let room = chars;
  const end = rows.findIndex((row, at) => {
    room -= charsOf(row) + 1;
    return room < 0 && at > 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

const WORDS: Readonly<Record<OutputMode, string>> = {
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
  const all = `${cut ? "more than " : ""}${entries.length} ${WORDS[mode]}`;
  const next = end < entries.length ? `Go on with offset: ${end}, or narrow` : "Narrow";
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

function nothing({ entries }: GrepMatches, offset: number): string {
  if (entries.length === 0) return "No matches found";
  return `Nothing from offset ${offset} on: there are ${entries.length} results in all.`;
}
