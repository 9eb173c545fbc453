import type { Files } from "../files.ts";
import { type FieldProblem, type Fields, parsePlainFields } from "./fields.ts";
import type { MarkdownDir, MarkdownFile } from "./find-markdown.ts";

/** Bytes of an agent, a skill or a command; longer text belongs into files next to it. */
export const MAX_MARKDOWN_BYTES = 256 * 1024;

export interface MarkdownText {
  readonly type: "read";
  /** Null: the file has no front matter. */
  readonly fields: Fields | null;
  readonly body: string;
  readonly bodyLine: number;
  readonly problems: readonly FieldProblem[];
}

export type ReadMarkdown =
  | MarkdownText
  | { readonly type: "unusable"; readonly line: number | null; readonly message: string };

/** Reads a file with its front matter. Never rejects; what is wrong is a message that follows the path. */
export async function readMarkdown(
  { path, look }: Pick<MarkdownFile<MarkdownDir>, "path" | "look">,
  files: Files,
): Promise<ReadMarkdown> {
  const unusable = (message: string, line: number | null = null) =>
    ({ type: "unusable", line, message }) as const;
  if (look.type === "unusable") return unusable(`${look.reason}.`);
  if (look.size > MAX_MARKDOWN_BYTES)
    return unusable(
      `has ${look.size} bytes, more than ${MAX_MARKDOWN_BYTES}; move what is long into files next to it.`,
    );
  const content = files.read(path, MAX_MARKDOWN_BYTES);
  if (content.type === "unusable") return unusable(`${content.reason}.`);
  const { text } = content;
  const read = await readFrontMatter(text);
  if (read.type === "broken") return unusable(read.problem.message, read.problem.line);
  const damage = unreadableCharacters(text);
  return {
    type: "read",
    ...(read.type === "none"
      ? { fields: null, body: text, bodyLine: 1 }
      : { fields: read.fields, body: read.body, bodyLine: read.bodyLine }),
    problems: [...(read.type === "none" ? [] : read.problems), ...(damage === null ? [] : [damage])],
  };
}

/** Returns a problem for the first line that is not UTF-8, or null. */
export function unreadableCharacters(text: string): FieldProblem | null {
  const at = text.indexOf("\uFFFD");
  if (at < 0) return null;
  return {
    line: text.slice(0, at).split(/\r\n|\n|\r/).length,
    message: "has characters here that cannot be read (\uFFFD); correct them and save the file as UTF-8.",
  };
}

/**
 * Returns a function that reads each file again only if it has changed since the last call, and returns what was read
 * in the order of the files.
 */
export function rereadChanged<Dir extends MarkdownDir, T>(
  read: (file: MarkdownFile<Dir>) => Promise<T>,
): (found: readonly MarkdownFile<Dir>[]) => Promise<readonly T[]> {
  let known = new Map<string, { readonly stamp: string; readonly of: string; readonly value: Promise<T> }>();
  return (found) => {
    known = new Map(
      found.map((file) => {
        const before = known.get(file.path);
        const stamp = file.look.type === "file" ? file.look.stamp : file.look.reason;
        const isSame = before?.stamp === stamp && before.of === file.of.dir;
        return [file.path, isSame ? before : { stamp, of: file.of.dir, value: read(file) }];
      }),
    );
    return Promise.all([...known.values()].map(({ value }) => value));
  };
}

/** The parts of a text that may begin with front matter; lines count from 1. */
export type MarkdownParts =
  | { readonly type: "none" }
  | {
      readonly type: "parts";
      readonly header: string;
      /** Line of the header's first line. */
      readonly headerLine: number;
      readonly body: string;
      readonly bodyLine: number;
    }
  /** It begins and does not end. */
  | { readonly type: "open"; readonly line: number };

export type FrontMatter =
  | { readonly type: "none" }
  | { readonly type: "broken"; readonly problem: FieldProblem }
  | {
      readonly type: "read";
      /** By the keys as they are written. */
      readonly fields: Fields;
      /** What could not be read; the rest could. */
      readonly problems: readonly FieldProblem[];
      readonly body: string;
      readonly bodyLine: number;
    };

/** More than anyone writes by hand. */
const MAX_HEADER_CHARS = 65_536;

/**
 * Splits a text. A byte order mark, foreign line ends and empty lines before the front matter do not matter; the body is
 * as it is in the file.
 */
export function splitFrontMatter(text: string): MarkdownParts {
  // Every second part is the end of the line before it.
  const parts = text.replace(/^\uFEFF/, "").split(/(\r\n|\n|\r)/);
  const lines = parts.filter((_, at) => at % 2 === 0);
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first < 0 || !/^---[ \t]*$/.test(lines[first] ?? "")) return { type: "none" };
  const end = lines.findIndex((line, at) => at > first && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  if (end < 0) return { type: "open", line: first + 1 };
  return {
    type: "parts",
    header: lines.slice(first + 1, end).join("\n"),
    headerLine: first + 2,
    body: parts.slice(2 * (end + 1)).join(""),
    bodyLine: end + 2,
  };
}

/**
 * Reads front matter as people write it: as YAML, and if it is not quite YAML (a description with a colon is enough),
 * each key by itself, so that one mistake costs no more than its own key.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const parts = splitFrontMatter(text);
  switch (parts.type) {
    case "none":
      return parts;
    case "open":
      return broken(parts.line, "The front matter that begins here has no end; close it with a line of ---.");
    case "parts": {
      const { header, headerLine, body, bodyLine } = parts;
      if (header.length > MAX_HEADER_CHARS)
        return broken(headerLine, `The front matter is longer than ${MAX_HEADER_CHARS} characters.`);
      const plain = parsePlainFields(header, headerLine);
      const read = plain
        ? { fields: plain, problems: [] }
        : (await import("./yaml-fields.ts")).parseYamlFields(header, headerLine);
      return { type: "read", ...read, body, bodyLine };
    }
    default:
      return parts satisfies never;
  }
}

function broken(line: number, message: string): FrontMatter {
  return { type: "broken", problem: { line, message } };
}
