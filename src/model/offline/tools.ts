import { isAbsolute, join, relative, sep } from "node:path";
import type { ModelRequest } from "../client.ts";
import type { OfflinePlan, PlannedCall, PlanResult } from "./plan.ts";

/** One line of a file, as a tool showed it. */
export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The tools that a conversation was offered, and where it is. */
export interface OfflineTools {
  /** The main conversation lets agents search; an agent searches itself. */
  readonly isMain: boolean;
  /** The name under which a tool was offered: Agent may be offered under its older one. */
  readonly find: (tool: string) => string | undefined;
  readonly takes: (tool: string, field: string) => boolean;
  readonly absolute: (path: string) => string;
  /** Relative to the working directory if it is inside. */
  readonly shown: (path: string) => string;
}

export function offeredTools({ system, tools }: ModelRequest, isMain: boolean): OfflineTools {
  const cwd = /^[ \t-]*Working directory: (.+)$/im.exec(system.join("\n"))?.[1]?.trim() ?? "";
  const find = (name: string) =>
    tools.find((tool) => tool.name === name || (name === "Agent" && tool.name === "Task"));
  return {
    isMain,
    find: (name) => find(name)?.name,
    takes: (name, field) => Object.hasOwn(Object(find(name)?.input_schema["properties"]), field),
    absolute: (path) => (cwd === "" || isAbsolute(path) ? path : join(cwd, path)),
    shown(path) {
      const inside = cwd === "" || !isAbsolute(path) ? path : relative(cwd, path);
      return (inside === "" || inside.startsWith("..") ? path : inside)
        .replaceAll(sep, "/")
        .replace(/^\.\//, "");
    },
  };
}

/** Makes one call that changes or runs something; the text is its result, or why it failed. */
export function* change(
  tools: OfflineTools,
  name: string,
  input: PlannedCall["input"],
): OfflinePlan<PlanResult> {
  const tool = tools.find(name);
  if (tool === undefined) return { ok: false, text: `the ${name} tool is not offered here.` };
  const [outcome] = yield [{ tool, input, shared: false }];
  return { ok: outcome?.type === "result", text: outcome?.text ?? "" };
}

/** Nothing at all could be looked up, so nothing can be said. */
export class LookupError extends Error {}

/** Makes calls that only look, all in one reply. One that fails brings no text; `LookupError` if all of them do. */
export function* look(
  tools: OfflineTools,
  calls: readonly Omit<PlannedCall, "shared">[],
): OfflinePlan<string[]> {
  const offered = calls.filter(({ tool }) => tools.find(tool) !== undefined);
  const outcomes = offered.length === 0 ? [] : yield offered.map((call) => ({ ...call, shared: true }));
  if (calls.length > 0 && outcomes.every(({ type }) => type !== "result"))
    throw new LookupError(
      outcomes[0]?.text.split("\n", 1)[0] ?? `the ${calls[0]?.tool} tool is not offered here.`,
    );
  return calls.map((call) => {
    const outcome = outcomes[offered.indexOf(call)];
    return outcome?.type === "result" ? outcome.text : "";
  });
}

/** Reads some lines of files, all in one reply; none of a file that cannot be read. */
export function* readSome(
  tools: OfflineTools,
  files: readonly { readonly path: string; readonly offset?: number; readonly limit?: number }[],
): OfflinePlan<FoundLine[][]> {
  const read = tools.find("Read");
  if (read === undefined || files.length === 0) return files.map(() => []);
  const outcomes = yield files.map(({ path, ...part }) => ({
    ...{ tool: read, input: { file_path: tools.absolute(path), ...part }, shared: true },
  }));
  return files.map(({ path }, at) =>
    outcomes[at]?.type === "result" ? readLines(path, outcomes[at].text) : [],
  );
}

export function grep(pattern: string, most: number, more: PlannedCall["input"] = {}) {
  const input = { pattern, output_mode: "content", "-n": true, head_limit: most, ...more };
  return { tool: "Grep", input };
}

export function glob(pattern: string) {
  return { tool: "Glob", input: { pattern } };
}

/** Reads a file to its end, page by page; a string says why it cannot. */
export function* readWhole(tools: OfflineTools, path: string): OfflinePlan<string[] | string> {
  const lines: string[] = [];
  let offset = 1;
  for (let page = 0; page < 20; page++) {
    const read = yield* change(tools, "Read", { file_path: path, ...(offset > 1 ? { offset } : {}) });
    if (!read.ok) return read.text;
    lines.push(...readLines(path, read.text).map(({ text }) => text));
    const next = nextOffset(read.text);
    if (next === undefined) return lines;
    offset = next;
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
  return [...text.matchAll(/^((?:[A-Za-z]:)?[^:\n]+):(\d+):(.*)$/gm)].map(
    ([, path = "", line, rest = ""]) => ({
      ...{ path: shown(path), line: Number(line), text: rest.replace(/ \[\.\.\. [^\]]*\]$/, "…") },
    }),
  );
}

/** Number, tab and text of Read. */
export function readLines(path: string, text: string): FoundLine[] {
  return [...text.matchAll(/^ *(\d+)[\t→](.*?)\r?$/gm)].map(([, line, rest = ""]) => ({
    ...{ path, line: Number(line), text: rest },
  }));
}

export function globPaths(text: string, { shown }: OfflineTools): string[] {
  const rows = text.split("\n").filter((row) => row.trim() !== "" && !/^\s*(?:[[(<]|No files\b)/.test(row));
  return rows.map((row) => shown(row.trim()));
}

const LONGEST_LINE = 200;

/** Lines with their numbers, each run of them under a head `path:line`. */
export function quote(lines: readonly FoundLine[]): string {
  const rows = lines.map(({ path, line, text }, at) => {
    const last = lines[at - 1];
    const head = last?.path === path && last.line + 1 === line ? "" : `${last ? "\n" : ""}${path}:${line}\n`;
    return `${head}    ${String(line).padStart(4)}  ${cut(text, LONGEST_LINE)}`;
  });
  return rows.join("\n");
}

export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).trimEnd()}…` : text;
}

export function countNoun(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
