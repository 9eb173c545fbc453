import { isAbsolute, join, relative, sep } from "node:path";
import { shorten } from "../../lib/text.ts";
import type { ModelRequest } from "../client.ts";
import type { OfflinePlan, PlannedCall, PlanResult } from "./plan.ts";

/** One line of a file, as a tool showed it. */
export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface FileSize {
  readonly path: string;
  readonly lines: number;
}

/** The tools that a conversation was offered, and where it is. */
export interface OfflineTools {
  /** The main conversation lets agents search; an agent searches itself. */
  readonly isMain: boolean;
  /** The name under which a tool was offered: Agent may be offered under its older one. */
  readonly find: (tool: string) => string | undefined;
  readonly absolute: (path: string) => string;
  /** Relative to the working directory if it is inside. */
  readonly shown: (path: string) => string;
}

export function offeredTools({ system, tools }: ModelRequest, isMain: boolean): OfflineTools {
  const cwd = /^[ \t-]*Working directory: (.+)$/im.exec(system.join("\n"))?.[1]?.trim() ?? "";
  const isOffered = (name: string) => tools.some((tool) => tool.name === name);
  return {
    isMain,
    find: (name) => [name, ...(name === "Agent" ? ["Task"] : [])].find(isOffered),
    absolute: (path) => (cwd === "" || isAbsolute(path) ? path : join(cwd, path)),
    shown(path) {
      const inside = cwd === "" || !isAbsolute(path) ? path : relative(cwd, path);
      const short = inside === "" || inside.startsWith("..") ? path : inside;
      return short.replaceAll(sep, "/").replace(/^\.\//, "");
    },
  };
}

const EXIT_CODE = /\n?\[Exit code (\d+)\]\s*$/;

/** Makes one call; the text is its result, or why it failed. `code`: of a command that ran. */
export function* change(
  tools: OfflineTools,
  name: string,
  input: PlannedCall["input"],
): OfflinePlan<PlanResult & { readonly code?: string }> {
  const tool = tools.find(name);
  if (tool === undefined) return { ok: false, text: `the ${name} tool is not offered here.` };
  const [{ type, text } = { type: "error", text: "" }] = yield [{ tool, input, shared: false }];
  if (type !== "result" || name !== "Bash") return { ok: type === "result", text };
  const code = EXIT_CODE.exec(text)?.[1] ?? "0";
  return { ok: code === "0", text: text.replace(EXIT_CODE, ""), code };
}

/** Nothing at all could be looked up, so nothing can be said. */
export class LookupError extends Error {}

/** Makes calls that only look, all in one reply. One that fails brings no text; `LookupError` if all of them do. */
export function* look(
  tools: OfflineTools,
  calls: readonly Omit<PlannedCall, "shared">[],
): OfflinePlan<string[]> {
  const missing = calls.find(({ tool }) => tools.find(tool) === undefined);
  if (missing) throw new LookupError(`the ${missing.tool} tool is not offered here.`);
  const outcomes = yield calls.map((call) => ({ ...call, shared: true }));
  if (outcomes.every(({ type }) => type !== "result"))
    throw new LookupError(outcomes[0]?.text.split("\n", 1)[0]);
  return outcomes.map(({ type, text }) => (type === "result" ? text : ""));
}

/** Reads some lines of files, all in one reply; none of a file that cannot be read. */
export function* readSome(
  tools: OfflineTools,
  files: readonly { readonly path: string; readonly offset?: number; readonly limit?: number }[],
): OfflinePlan<FoundLine[][]> {
  const tool = tools.find("Read");
  if (tool === undefined || files.length === 0) return files.map(() => []);
  const outcomes = yield files.map(({ path, ...part }) => {
    return { tool, input: { file_path: tools.absolute(path), ...part }, shared: true };
  });
  return files.map(({ path }, at) => {
    const { type, text } = outcomes[at] ?? { type: "error", text: "" };
    return type === "result" ? readLines(path, text) : [];
  });
}

export function grep(pattern: string, most: number, more: PlannedCall["input"] = {}) {
  const input = { pattern, output_mode: "content", "-n": true, head_limit: most, ...more };
  return { tool: "Grep", input };
}

/** Reads a file to its end, page by page; a string says why it cannot. */
export function* readWhole(tools: OfflineTools, path: string): OfflinePlan<string[] | string> {
  const lines: string[] = [];
  let offset: number | undefined = 1;
  for (let page = 0; page < 20; page++) {
    const read = yield* change(tools, "Read", { file_path: path, ...(offset > 1 ? { offset } : {}) });
    if (!read.ok) return read.text;
    lines.push(...readLines(path, read.text).map(({ text }) => text));
    offset = nextOffset(read.text);
    if (offset === undefined) return lines;
  }
  return "it is too long to be read to its end.";
}

/** Where a text that Read has cut continues. */
export function nextOffset(text: string): number | undefined {
  const [, next] = /\boffset:? (\d+)\.?[\])]?\s*$/.exec(text.slice(-200)) ?? [];
  return next === undefined ? undefined : Number(next);
}

/** `path:line:text` of Grep; notices are passed over. ripgrep says in brackets that it cut a line. */
export function grepLines(text: string, { shown }: OfflineTools): FoundLine[] {
  const rows = text.matchAll(/^((?:[A-Za-z]:)?[^:\n]+):(\d+):(.*)$/gm);
  return [...rows].map(([, path = "", line, rest = ""]) => {
    return { path: shown(path), line: Number(line), text: rest.replace(/ \[\.\.\. [^\]]*\]$/, "…") };
  });
}

/** Number, tab and text of Read. */
export function readLines(path: string, text: string): FoundLine[] {
  const rows = text.matchAll(/^ *(\d+)[\t→](.*?)\r?$/gm);
  return [...rows].map(([, line, rest = ""]) => ({ path, line: Number(line), text: rest }));
}

/** All text files with their sizes, in the order of their paths. */
export function* listSizes(tools: OfflineTools): OfflinePlan<FileSize[]> {
  const [text = ""] = yield* look(tools, [grep("^", 0, { output_mode: "count" })]);
  const rows = text.matchAll(/^(.+):(\d+)$/gm);
  return [...rows].map(([, path = "", lines]) => ({ path: tools.shown(path), lines: Number(lines) }));
}

/** The paths of files and of the directories that they are in; these end with a slash. */
export function pathsOf(files: readonly FileSize[]): string[] {
  const ends = (path: string) => [...path.matchAll(/\/|$/g)].map(({ index }) => path.slice(0, index + 1));
  return [...new Set(files.flatMap(({ path }) => ends(path)))];
}

/** Lines with their numbers, each run of them under a head `path:line`. */
export function quote(lines: readonly FoundLine[]): string {
  const rows = lines.map(({ path, line, text }, at) => {
    const last = lines[at - 1];
    const head = last?.path === path && last.line + 1 === line ? "" : `${last ? "\n" : ""}${path}:${line}\n`;
    return `${head}    ${String(line).padStart(4)}  ${shorten(text, 200)}`;
  });
  return rows.join("\n");
}

/** At most thirty lines, and how many more there are. */
export function quoteSome(lines: readonly FoundLine[]): string {
  return `${quote(lines.slice(0, 30))}${lines.length > 30 ? `\n\n(${lines.length - 30} more)` : ""}`;
}
