import { basename } from "node:path";
import type { Files } from "../../context/files.ts";
import { readFrontMatter } from "../../context/front-matter/front-matter.ts";
import { type AgentsFlag, agentsInFlag } from "./agents-flag.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import { filesBelow } from "./find-files.ts";
import { definedBy } from "./from-fields.ts";
import { plainName } from "./index.ts";
import { inertIn, withoutPowers } from "./inert.ts";
import { type AgentPlace, type AgentSearch, agentPlaces } from "./places.ts";
import type { AgentProblem } from "./problem.ts";

export interface LoadedAgents {
  /** One for each name. */
  readonly agents: readonly AgentDefinition[];
  /** Those in whose place another stands. */
  readonly shadowed: readonly AgentDefinition[];
  readonly problems: readonly AgentProblem[];
  /** What does not count as long as the folder is not trusted, in a sentence; null: nothing. */
  readonly inert: string | null;
}

const MOST_BYTES = 262_144;

/**
 * Every agent that files and a flag define. The organisation's come before all, then the flag's, the project's and the
 * person's own (checklist A18.1). Whatever is wrong with one of them is a problem, and the others are there. Never rejects.
 */
export async function loadAgents(
  search: AgentSearch,
  files: Files,
  flag?: AgentsFlag,
): Promise<LoadedAgents> {
  const problems: AgentProblem[] = [];
  const found: AgentDefinition[] = [];
  const seen = new Set<string>();
  let flagged = flag === undefined;
  for (const place of agentPlaces(search, files)) {
    if (!flagged && flag !== undefined && place.scope !== "enterprise") {
      const given = agentsInFlag(flag);
      found.push(...given.agents);
      problems.push(...given.problems);
      flagged = true;
    }
    const { paths, left } = filesBelow(place, files);
    problems.push(...left.map(({ path, message }) => ({ file: path, line: null, message })));
    for (const path of paths) {
      const read = await agentIn(path, place, files, seen);
      problems.push(...read.problems);
      if (read.definition) found.push(read.definition);
    }
  }
  return chosen(found, problems, search.trusted);
}

interface ReadAgent {
  readonly definition: AgentDefinition | null;
  readonly problems: readonly AgentProblem[];
}

async function agentIn(
  file: string,
  { scope }: AgentPlace,
  files: Files,
  seen: Set<string>,
): Promise<ReadAgent> {
  const nothing: ReadAgent = { definition: null, problems: [] };
  const problem = (message: string, line: number | null = null): AgentProblem => ({ file, line, message });
  const look = files.look(file);
  // By another link, or where the person's own folder is the project's.
  if (look.type === "none" || (look.type === "file" && seen.has(look.identity))) return nothing;
  if (look.type === "unusable") return { ...nothing, problems: [problem(`The file ${look.reason}.`)] };
  seen.add(look.identity);
  const content = files.read(file, MOST_BYTES);
  if (content.type === "unusable") return { ...nothing, problems: [problem(`The file ${content.reason}.`)] };
  if (content.bytes > MOST_BYTES)
    return { ...nothing, problems: [problem(`The file is larger than ${MOST_BYTES / 1024} KB.`)] };
  const { text } = content;
  const read = await readFrontMatter(text);
  if (read.type === "none") {
    // People keep notes beside their agents.
    if (/^(?:readme|changelog|contributing|licen[cs]e|index)\b/i.test(basename(file))) return nothing;
    const message = "The file does not begin with front matter (a line of ---), so it defines no agent.";
    return { ...nothing, problems: [problem(message, 1)] };
  }
  if (read.type === "broken") return { ...nothing, problems: [problem(read.fault.message, read.fault.line)] };
  const source: AgentSource = { scope, file };
  const { fields, body: prompt, bodyLine: line } = read;
  const fallbackName = basename(file).replace(/\.md$/i, "");
  const { definition, faults } = definedBy({ fields, prompt, line, fallbackName, source });
  const encoding = text.includes("\uFFFD") ? ["The file is not UTF-8, so some characters are lost."] : [];
  return {
    definition,
    problems: [
      ...[...read.faults, ...faults].map((fault) => problem(fault.message, fault.line)),
      ...encoding.map((message) => problem(message)),
    ],
  };
}

/** One for each name, the first. */
function chosen(
  found: readonly AgentDefinition[],
  problems: readonly AgentProblem[],
  trusted: boolean,
): LoadedAgents {
  const byName = new Map<string, AgentDefinition>();
  const shadowed: AgentDefinition[] = [];
  const twice: AgentProblem[] = [];
  for (const definition of found) {
    const key = plainName(definition.name);
    const first = byName.get(key);
    if (first === undefined) {
      byName.set(key, definition);
      continue;
    }
    shadowed.push(definition);
    const { source } = definition;
    // Somebody who writes a project's own reviewer means to replace his own: that is no mistake.
    if (source === undefined || !("file" in source) || first.source?.scope !== source.scope) continue;
    const other = "file" in first.source ? first.source.file : "";
    twice.push({
      file: source.file,
      line: null,
      message: `There is an agent ${definition.name} already, in ${other}; this one is not used.`,
    });
  }
  const agents = [...byName.values()];
  return {
    agents: agents.map((agent) => (trusted ? agent : withoutPowers(agent))),
    shadowed,
    problems: [...problems, ...twice],
    inert: trusted ? null : inertIn(agents),
  };
}
