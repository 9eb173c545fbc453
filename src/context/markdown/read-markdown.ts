import type { Files } from "../files.ts";
import type { FieldProblem, Fields } from "./fields.ts";
import type { MarkdownDir, MarkdownFile } from "./find-markdown.ts";
import { readFrontMatter } from "./front-matter.ts";

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
