import { formatCount, shorten } from "../../lib/text.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { fileWeight, isComment, isDeclaration, isDocument } from "./source.ts";
import {
  atMost,
  type FileSize,
  listSizes,
  listUnder,
  type OfflineTools,
  pathsOf,
  quote,
  readSome,
} from "./tools.ts";

const MOST_SHOWN = 30;

/** How much there is, in which directories, and which files are the largest. */
export function* sizes(_: string, tools: OfflineTools): OfflinePlan {
  const files = yield* listSizes(tools);
  const bySize = files.toSorted((a, b) => b.lines - a.lines);
  const largest = (some: readonly FileSize[]) => some.slice(0, 10).map((file) => sizeRow(file.path, [file]));
  const dirs = groupEntries("", files).filter(([name]) => name.endsWith("/"));
  const below = (dir: string) =>
    groupEntries(dir, files)
      .filter(([name]) => name.endsWith("/"))
      .slice(0, 8);
  const shown = dirs.slice(0, 12).flatMap((dir) => [dir, ...below(dir[0])]);
  const text = listUnder({
    "In all:": [sizeRow("", files)],
    "Directories:": shown.map(([name, inside]) => sizeRow(name, inside)),
    "The largest files:": largest(bySize),
    "The largest source files:": largest(bySize.filter(({ path }) => fileWeight(path) === 1)),
    "At the top:": largest(bySize.filter(({ path }) => !path.includes("/"))),
  });
  return { ok: files.length > 0, text };
}

/** What is directly in a directory: files, and directories with what is in them; those with most files first. */
function groupEntries(dir: string, files: readonly FileSize[]): [string, FileSize[]][] {
  const inside = files.filter(({ path }) => path.startsWith(dir));
  const entries = Map.groupBy(inside, ({ path }) => dir + /^[^/]*\/?/.exec(path.slice(dir.length))?.[0]);
  return [...entries].sort(([, one], [, other]) => other.length - one.length);
}

function sizeRow(path: string, files: readonly FileSize[]): string {
  const lines = files.reduce((sum, one) => sum + one.lines, 0);
  const count = files.length > 1 ? formatCount(files.length, "file") : "";
  return `    ${path.padEnd(32)}  ${count.padStart(12)}  ${formatCount(lines, "line").padStart(14)}`;
}

/** Shows a file, or what is in a directory; the path may be the end of one, and without the file's extension. */
export function* explainPath(given: string, tools: OfflineTools): OfflinePlan {
  const files = yield* listSizes(tools);
  const asked = tools.shown(tools.absolute(given)).replace(/\/$/, "");
  const paths = pathsOf(files);
  const exact = paths.filter((path) => path.replace(/\/$/, "") === asked);
  const ending = new RegExp(String.raw`(?:^|/)${RegExp.escape(asked)}(?:/|\.\w+)?$`);
  const [path = asked, ...others] = exact.length > 0 ? exact : paths.filter((one) => ending.test(one));
  if (others.length > 0)
    return { ok: false, text: listUnder({ "These paths end so:\n": atMost(MOST_SHOWN, [path, ...others]) }) };
  if (!path.endsWith("/")) return yield* outline(path, files, tools);
  const entries = groupEntries(path, files).map(([name, inside]) => sizeRow(name, inside));
  return { ok: true, text: listUnder({ [`${path} has:\n`]: atMost(MOST_SHOWN, entries) }) };
}

/** A short file whole; of a longer one what it declares, with its own first comment. */
function* outline(path: string, files: readonly FileSize[], tools: OfflineTools): OfflinePlan {
  const [lines = []] = yield* readSome(tools, [{ path }]);
  if (lines.length === 0) return unsure(`There is no ${path} with text that can be read here.`);
  const size = files.find((file) => file.path === path)?.lines ?? lines.length;
  const lead = `${path} has ${formatCount(size, "line")}`;
  if (lines.length <= MOST_SHOWN) return { ok: true, text: `${lead}:\n\n${quote(lines)}` };
  const inner = /\brequire\(|^\s{5}|^\s+(?:const|let|var|val|type)\b/;
  const chosen = lines.filter(({ text }, at) => {
    if (isDocument(path)) return /^#{1,3} /.test(text);
    return (at < 8 && isComment(text)) || (isDeclaration(text) && !inner.test(text));
  });
  const all = quote(chosen.length > 0 ? chosen : lines, MOST_SHOWN);
  return { ok: true, text: `${lead}. This is what it declares:\n\n${all}` };
}

const ASKS_WHAT = /^(?:please )?(?:what|which|summari[sz]e|describe|list|show|explain|outline)\b/i;
const ASKS_MORE = /\b(?:why|should|bugs?|wrong|safe|good|better)\b/i;
const PATHS = [/^\+\+\+ (?:b\/)?(?!\/dev\/null)(.*)$/m, /^--- (?:a\/)?(.*)$/m, /^diff --git a\/.* b\/(.*)$/m];
/** The first line in the new version, what is before the first change, and that change. */
const HUNK = /^@@ -\S+ \+(\d+).*\n((?: .*\n|\n)*)(.*)/gm;

export function hasDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+)/m.test(text);
}

/** Summarizes a unified diff, with the places in the new version. Done only if nothing else was asked. */
export function summarizeDiff(text: string): PlanResult {
  const from = text.search(/^(?:diff --git |--- |@@ )/m);
  const files = text.slice(from).split(/^(?=diff --git )/m);
  const [added, removed] = ["+", "-"].map((sign) => formatCount(countLines(text.slice(from), sign), "line"));
  const lead = `The diff changes ${formatCount(files.length, "file")}: ${added} added, ${removed} removed.`;
  const summary = [lead, "", ...atMost(30, files.map(summarizeFile), "")].join("\n");
  const isAll = ASKS_WHAT.test(text) && !ASKS_MORE.test(text.slice(0, from));
  return isAll ? { ok: true, text: summary } : unsure(summary);
}

function summarizeFile(diff: string): string {
  const path = PATHS.map((pattern) => pattern.exec(diff)?.[1]?.trim()).find((found) => found) ?? "a file";
  const places = [...diff.matchAll(HUNK)].map(([, start, before = "", changed = ""]) => {
    const line = Number(start) + before.split("\n").length - 1;
    return `    ${path}:${Math.max(1, line)}  ${shorten(changed, 100)}`;
  });
  const how = /^(new|deleted|rename)/m.exec(diff)?.[1] ?? "changed";
  const lead = `${path}  ${how}, +${countLines(diff, "+")} -${countLines(diff, "-")}`;
  return [lead, ...atMost(5, places, "    ")].join("\n");
}

/** The two paths of a file are no lines of it. */
function countLines(diff: string, sign: string): number {
  const lines = diff.replace(/^--- .*\n\+\+\+ .*$/gm, "").split("\n");
  return lines.filter((line) => line.startsWith(sign)).length;
}
