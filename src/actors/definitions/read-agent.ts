import { basename } from "node:path";
import type { Files } from "../../context/files.ts";
import type { FileProblem } from "../../context/markdown/fields.ts";
import type { MarkdownFile } from "../../context/markdown/find-markdown.ts";
import { readMarkdown } from "../../context/markdown/read-markdown.ts";
import type { AgentDir } from "./agent-dirs.ts";
import type { AgentDefinition } from "./definition.ts";
import { definedBy } from "./from-fields.ts";

export interface ReadAgent {
  readonly definition: AgentDefinition | null;
  /** The line of its name. */
  readonly line: number | null;
  readonly problems: readonly FileProblem[];
}

/** Notes that people keep next to their agents. */
const NOTES = /^(?:readme|changelog|contributing|licen[cs]e|index|claude|agents)\b/i;

/** Reads what one file defines, and what is wrong with it. Never rejects. */
export async function readAgent(
  { path: file, look, of: { scope } }: MarkdownFile<AgentDir>,
  files: Files,
): Promise<ReadAgent> {
  const nothing = (message?: string, line: number | null = null): ReadAgent => ({
    ...{ definition: null, line: null },
    problems: message === undefined ? [] : [{ file, line, message }],
  });
  const read = await readMarkdown({ path: file, look }, files);
  if (read.type === "unusable") return nothing(read.message, read.line);
  if (read.fields === null)
    return NOTES.test(basename(file))
      ? nothing()
      : nothing(
          "The file does not begin with front matter, so it defines no agent; begin it with a name and a description between two lines of ---.",
          1,
        );
  const { fields, body: prompt, bodyLine: line } = read;
  const { definition, problems } = definedBy({
    ...{ fields, prompt, line, source: { scope, file } },
    fallbackName: basename(file).replace(/\.md$/i, ""),
    unread: read.problems.flatMap(({ key = [] }) => key),
  });
  return {
    definition,
    line: fields.get("name")?.line ?? 1,
    problems: [...read.problems, ...problems].map((problem) => ({
      ...{ file, line: problem.line, message: problem.message },
    })),
  };
}
