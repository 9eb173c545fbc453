import type { FieldProblem, Fields } from "./fields.ts";
import { parsePlainFields } from "./plain-fields.ts";

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
