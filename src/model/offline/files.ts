import { formatCount } from "../../lib/figures.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { fileWeight, isComment, isDeclaration, isDocument } from "./source.ts";
import {
  type FileSize,
  type FoundLine,
  listSizes,
  type OfflineTools,
  pathsOf,
  quote,
  quoteSome,
  readSome,
} from "./tools.ts";

const MOST_SHOWN = 30;

/** How much there is, in which directories, and which files are the largest. */
export function* sizes(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const files = yield* listSizes(tools);
  const bySize = files.toSorted((a, b) => b.lines - a.lines);
  const largest = (some: readonly FileSize[]) => some.slice(0, 10).map((file) => sizeRow(file.path, [file]));
  const below = (dir: string, most: number) =>
    groupEntries(dir, files)
      .filter(([name]) => name.endsWith("/"))
      .slice(0, most);
  const dirs = below("", 12).flatMap((dir) => [dir, ...below(dir[0], 8)]);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["In all:", [sizeRow("", files)]],
    ["Directories:", dirs.map(([name, inside]) => sizeRow(name, inside))],
    ["The largest files:", largest(bySize)],
    ["The largest source files:", largest(bySize.filter(({ path }) => fileWeight(path) === 1))],
    ["At the top:", largest(bySize.filter(({ path }) => !path.includes("/")))],
  ];
  const shown = parts.map(([title, rows]) => `${title}\n${rows.join("\n")}`);
  return { ok: files.length > 0, text: shown.join("\n\n") };
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
export function* explainPath(given: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const files = yield* listSizes(tools);
  const asked = tools.shown(tools.absolute(given)).replace(/\/$/, "");
  const paths = pathsOf(files);
  const exact = paths.find((path) => path.replace(/\/$/, "") === asked);
  const endsSo = (path: string) => `/${path}`.endsWith(`/${asked}`);
  const alike = paths.filter((path) => endsSo(path.replace(/\/$/, "")) || endsSo(path.replace(/\.\w+$/, "")));
  const [path = asked] = exact === undefined ? alike : [exact];
  if (exact === undefined && alike.length > 1)
    return { ok: false, text: `These paths end so:\n\n${shown(alike.map((one) => `    ${one}`))}` };
  if (!path.endsWith("/")) return yield* outline(path, files, tools);
  const entries = groupEntries(path, files).map(([name, inside]) => sizeRow(name, inside));
  return { ok: true, text: `${path} has:\n\n${shown(entries)}` };
}

/** A short file whole; of a longer one what it declares, with its own first comment. */
function* outline(path: string, files: readonly FileSize[], tools: OfflineTools): OfflinePlan<PlanResult> {
  const [lines = []] = yield* readSome(tools, [{ path }]);
  if (lines.length === 0) return unsure(`There is no ${path} with text that can be read here.`);
  const size = files.find((file) => file.path === path)?.lines ?? lines.length;
  const lead = `${path} has ${formatCount(size, "line")}`;
  if (lines.length <= MOST_SHOWN) return { ok: true, text: `${lead}:\n\n${quote(lines)}` };
  const declares = ({ text }: FoundLine, at: number) =>
    (at < 8 && isComment(text)) ||
    (isDeclaration(text) && !/\brequire\(|^\s{5}|^\s+(?:const|let|var|val|type)\b/.test(text));
  const told = lines.filter((line, at) =>
    isDocument(path) ? /^#{1,3} /.test(line.text) : declares(line, at),
  );
  const all = told.length > 0 ? told : lines;
  return { ok: true, text: `${lead}. This is what it declares:\n\n${quoteSome(all)}` };
}

function shown(rows: readonly string[]): string {
  const more = rows.length > MOST_SHOWN ? `\n\n(${rows.length - MOST_SHOWN} more)` : "";
  return `${rows.slice(0, MOST_SHOWN).join("\n")}${more}`;
}
