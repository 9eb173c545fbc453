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

export type FoundLines = readonly FoundLine[];

export interface FileSize {
  readonly path: string;
  readonly lines: number;
}

export type OfflineTools = ReturnType<typeof offeredTools>;

/** The tools that a conversation was offered, and where it is. */
export function offeredTools({ system, tools }: ModelRequest, isMain: boolean) {
  const cwd = /^[ \t-]*Working directory: (.+)$/im.exec(system.join("\n"))?.[1]?.trim() ?? "";
  const isOffered = (name: string) => tools.some((tool) => tool.name === name);
  return {
    /** The main conversation lets agents search; an agent searches itself. */
    isMain,
    /** The name under which a tool was offered: Agent may be offered under its older one. */
    find: (name: string) => (name === "Agent" ? [name, "Task"] : [name]).find(isOffered),
    absolute: (path: string) => (cwd === "" || isAbsolute(path) ? path : join(cwd, path)),
    /** Relative to the working directory if it is inside. */
    shown(path: string): string {
      const inside = cwd === "" || !isAbsolute(path) ? path : relative(cwd, path);
      const short = inside === "" || inside.startsWith("..") ? path : inside;
      return short.replaceAll(sep, "/").replace(/^\.\//, "");
    },
  };
}

const EXIT_CODE = /\n?\[Exit code (\d+)\]\s*$/;

type Input = PlannedCall["input"];
/** `code`: of a command that ran. */
type CallResult = PlanResult & { readonly code?: string };

/** Makes one call; the text is its result, or why it failed. */
export function* change(tools: OfflineTools, name: string, input: Input): OfflinePlan<CallResult> {
  const tool = tools.find(name);
  if (tool === undefined) return { ok: false, text: `the ${name} tool is not offered here.` };
  const [{ ok, text } = { ok: false, text: "" }] = yield [{ tool, input, shared: false }];
  if (!ok || name !== "Bash") return { ok, text };
  const code = EXIT_CODE.exec(text)?.[1] ?? "0";
  return { ok: code === "0", text: text.replace(EXIT_CODE, ""), code };
}

/** Nothing at all could be looked up, so nothing can be said. */
export class LookupError extends Error {}

/** Searches, all in one reply. One that fails brings no text; `LookupError` if all of them do. */
function* grep(tools: OfflineTools, inputs: readonly Input[]): OfflinePlan<string[]> {
  if (tools.find("Grep") === undefined) throw new LookupError("the Grep tool is not offered here.");
  const outcomes = yield inputs.map((input) => ({ tool: "Grep", input, shared: true }));
  if (!outcomes.some(({ ok }) => ok)) throw new LookupError(outcomes[0]?.text.split("\n", 1)[0]);
  return outcomes.map(({ ok, text }) => (ok ? text : ""));
}

type FilePart = { readonly path: string; readonly offset?: number; readonly limit?: number };

/** Reads some lines of files, all in one reply; none of a file that cannot be read. */
export function* readSome(tools: OfflineTools, files: readonly FilePart[]): OfflinePlan<FoundLines[]> {
  const tool = tools.find("Read");
  const outcomes = yield files.flatMap(({ path, ...part }) => {
    return tool ? { tool, input: { file_path: tools.absolute(path), ...part }, shared: true } : [];
  });
  return files.map(({ path }, at) => (outcomes[at]?.ok ? readLines(path, outcomes[at].text) : []));
}

/** The lines that searches find: each is an input of Grep, and all are in one reply. */
export function* findLines(tools: OfflineTools, ...inputs: Input[]): OfflinePlan<FoundLine[][]> {
  const calls = inputs.map((input) => ({ output_mode: "content", "-n": true, ...input }));
  return (yield* grep(tools, calls)).map((text) => grepLines(text, tools));
}

/** Reads a file to its end, page by page; a string says why it cannot. */
export function* readWhole(tools: OfflineTools, path: string, offset = 1): OfflinePlan<string[] | string> {
  if (offset > 40_000) return "it is too long to be read to its end.";
  const read = yield* change(tools, "Read", { file_path: path, ...(offset > 1 ? { offset } : {}) });
  if (!read.ok) return read.text;
  const lines = readLines(path, read.text).map(({ text }) => text);
  const next = nextOffset(read.text);
  const rest = next === undefined ? [] : yield* readWhole(tools, path, Math.max(next, offset + 1));
  return typeof rest === "string" ? rest : [...lines, ...rest];
}

/** Where a text that Read has cut continues. */
export function nextOffset(text: string): number | undefined {
  const [, next] = /\boffset:? (\d+)\.?[\])]?\s*$/.exec(text.slice(-200)) ?? [];
  return next === undefined ? undefined : Number(next);
}

/** `path:line:text` of Grep; notices are passed over. ripgrep says in brackets that it cut a line. */
function grepLines(text: string, { shown }: OfflineTools): FoundLine[] {
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
  const [text = ""] = yield* grep(tools, [{ pattern: "^", output_mode: "count", head_limit: 0 }]);
  const rows = text.matchAll(/^(.+):(\d+)$/gm);
  return [...rows].map(([, path = "", lines]) => ({ path: tools.shown(path), lines: Number(lines) }));
}

/** The paths of files and of the directories that they are in; these end with a slash. */
export function pathsOf(files: readonly FileSize[]): string[] {
  const ends = (path: string) => [...path.matchAll(/\/|$/g)].map(({ index }) => path.slice(0, index + 1));
  return [...new Set(files.flatMap(({ path }) => ends(path)))];
}

/** Lines with their numbers, each run of them under a head `path:line`; after `most` only how many more there are. */
export function quote(lines: readonly FoundLine[], most = 100): string {
  const rows = lines.map(({ path, line, text }, at) => {
    const last = lines[at - 1];
    const head = last?.path === path && last.line + 1 === line ? "" : `${last ? "\n" : ""}${path}:${line}\n`;
    return `${head}    ${String(line).padStart(4)}  ${shorten(text, 200)}`;
  });
  return atMost(most, rows).join("\n");
}

export function atMost(most: number, rows: readonly string[], more = "\n"): string[] {
  return rows.length > most ? [...rows.slice(0, most), `${more}(${rows.length - most} more)`] : [...rows];
}

/** Each title with its rows; without rows it is left out. */
export function listUnder(titles: Readonly<Record<string, readonly string[]>>): string {
  const shown = Object.entries(titles).filter(([, rows]) => rows.length > 0);
  return shown.map(([title, rows]) => `${title}\n${rows.join("\n")}`).join("\n\n");
}
