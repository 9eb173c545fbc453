import { basename } from "node:path";
import type { Files } from "../../context/files.ts";
import { readFrontMatter } from "../../context/front-matter/front-matter.ts";
import { LOST, lineOfLoss } from "../../context/front-matter/lost-characters.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import { definedBy } from "./from-fields.ts";
import type { AgentProblem } from "./problem.ts";
import type { AgentPlace } from "./search-paths.ts";

const MOST_BYTES = 262_144;

export interface ReadAgent {
  readonly definition: AgentDefinition | null;
  /** Where it says its name. */
  readonly line: number | null;
  readonly problems: readonly AgentProblem[];
}

/** What one file defines, and what is wrong with it. Never rejects. */
export async function readAgentFile(
  file: string,
  { scope }: Pick<AgentPlace, "scope">,
  files: Files,
): Promise<ReadAgent> {
  const nothing: ReadAgent = { definition: null, line: null, problems: [] };
  const problem = (message: string, line: number | null = null): AgentProblem => ({ file, line, message });
  const content = files.read(file, MOST_BYTES);
  if (content.type === "unusable") return { ...nothing, problems: [problem(`The file ${content.reason}.`)] };
  if (content.bytes > MOST_BYTES)
    return {
      ...nothing,
      problems: [problem(`The file is larger than ${MOST_BYTES / 1024} KB; make it shorter.`)],
    };
  const { text } = content;
  const read = await readFrontMatter(text);
  if (read.type === "none") {
    // People keep notes beside their agents.
    if (/^(?:readme|changelog|contributing|licen[cs]e|index|claude|agents)\b/i.test(basename(file)))
      return nothing;
    const message =
      "The file does not begin with front matter, so it defines no agent; begin it with a name and a description between two lines of ---.";
    return { ...nothing, problems: [problem(message, 1)] };
  }
  if (read.type === "broken") return { ...nothing, problems: [problem(read.fault.message, read.fault.line)] };
  const source: AgentSource = { scope, file };
  const { fields, body: prompt, bodyLine: line } = read;
  const fallbackName = basename(file).replace(/\.md$/i, "");
  const { definition, faults } = definedBy({
    ...{ fields, prompt, line, fallbackName, source },
    unread: read.faults.flatMap(({ key = [] }) => key),
  });
  const lost = lineOfLoss(text);
  return {
    definition,
    line: fields.get("name")?.line ?? 1,
    problems: [
      ...[...read.faults, ...faults].map((fault) => problem(fault.message, fault.line)),
      ...(lost === null ? [] : [problem(LOST, lost)]),
    ],
  };
}
