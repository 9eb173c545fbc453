import { isDeepStrictEqual } from "node:util";
import type { Files } from "../../context/files.ts";
import { chooseByName, formatLeftOut, type Replacing } from "../../context/markdown/choose-by-name.ts";
import type { FileProblem } from "../../context/markdown/fields.ts";
import { findMarkdown, type MarkdownFile } from "../../context/markdown/find-markdown.ts";
import { rereadChanged } from "../../context/markdown/read-markdown.ts";
import { type AgentDir, type AgentSearch, agentDirs } from "./agent-dirs.ts";
import { type AgentsFlag, agentsInFlag } from "./agents-flag.ts";
import type { AgentDefinition } from "./definition.ts";
import { type AgentGrant, agentGrant, agentGrants, agentReplacements } from "./grants.ts";
import { plainName } from "./index.ts";
import { readAgent } from "./read-agent.ts";
import { formatRestricted, restrictUntrusted } from "./restrict-untrusted.ts";

export interface LoadedAgents {
  /** One for each name, with what the user has accepted. */
  readonly agents: readonly AgentDefinition[];
  /** Those that another one has replaced. */
  readonly shadowed: readonly AgentDefinition[];
  readonly problems: readonly FileProblem[];
  /** Lists what is inactive until the user agrees to it; null if everything is active. */
  readonly inert: string | null;
}

export interface AgentLibrary {
  /** Returns the same object until something changes. Reads only files that have changed. Never rejects. */
  look(): Promise<LoadedAgents>;
  /** Returns the grants of the project's own definitions; the same whether the directory is trusted or not. */
  grants(): Promise<readonly AgentGrant[]>;
}

interface FoundAgent {
  readonly definition: AgentDefinition;
  /** The line of its name. */
  readonly line: number | null;
}

/**
 * Returns every agent that files and a flag define, in order of precedence: the organization's, the flag's, the
 * project's and the user's (A18.1). A faulty one is a problem, and the others are loaded.
 */
export function agentLibrary(search: AgentSearch, files: Files, flag?: AgentsFlag): AgentLibrary {
  const read = rereadChanged((file: MarkdownFile<AgentDir>) => readAgent(file, files));
  const flagged = flag === undefined ? { agents: [], problems: [] } : agentsInFlag(flag);
  let last: LoadedAgents | null = null;
  let grants: readonly AgentGrant[] = [];
  let looking: Promise<unknown> = Promise.resolve();

  async function look(): Promise<LoadedAgents> {
    const found = findMarkdown(agentDirs(search, files), files);
    const reads = await read(found.files);
    const agents = reads.flatMap(({ definition, line }): FoundAgent[] =>
      definition === null ? [] : [{ definition, line }],
    );
    const isManaged = ({ definition: { source } }: FoundAgent) => source?.scope === "enterprise";
    const inOrder = [
      ...agents.filter(isManaged),
      ...flagged.agents.map((definition) => ({ definition, line: null })),
      ...agents.filter((agent) => !isManaged(agent)),
    ];
    const problems = [...flagged.problems, ...found.problems, ...reads.flatMap((one) => one.problems)];
    const fresh = choose(inOrder, problems, search);
    grants = fresh.grants;
    if (!isDeepStrictEqual(fresh.loaded, last)) last = fresh.loaded;
    return last ?? fresh.loaded;
  }

  function next(): Promise<LoadedAgents> {
    const looked = looking.then(look);
    looking = looked;
    return looked;
  }
  return { look: next, grants: () => next().then(() => grants) };
}

function choose(
  found: readonly FoundAgent[],
  problems: readonly FileProblem[],
  { trusted, agreed }: AgentSearch,
): { readonly loaded: LoadedAgents; readonly grants: readonly AgentGrant[] } {
  const replacedOf = agentReplacements(found.map(({ definition }) => definition));
  const scopeOf = ({ definition: { source } }: FoundAgent) => source?.scope;
  const { chosen, shadowed, replacing, duplicates } = chooseByName(found, {
    keyOf: ({ definition }) => plainName(definition.name),
    replacedOf: ({ definition }) => replacedOf(definition),
    isDuplicate: (agent, first) => scopeOf(agent) !== "flag" && scopeOf(agent) === scopeOf(first),
    trusted: trusted(),
  });
  const twice = duplicates.map(({ definition: { definition, line }, first }) => ({
    ...{ file: fileOf(definition), line },
    message: `There is an agent ${definition.name} already, in ${fileOf(first.definition) ?? "--agents"}; this one is not used. Give one of them another name.`,
  }));
  const said = chosen.map(({ definition }) => definition);
  const named: readonly Replacing<AgentDefinition>[] = replacing.map(({ definition, of }) => ({
    ...{ definition: definition.definition, of },
  }));
  const inert = [trusted() ? null : formatLeftOut("agents", named), formatRestricted(said, agreed)];
  const asked = [
    ...named.map(agentGrant),
    ...agentGrants([...said, ...named.map(({ definition }) => definition)]),
  ];
  return {
    loaded: {
      agents: said.map((agent) => restrictUntrusted(agent, agreed)),
      shadowed: shadowed.map(({ definition }) => definition),
      problems: [...problems, ...twice],
      inert: inert.filter((sentence) => sentence !== null).join(" ") || null,
    },
    grants: [...new Map(asked.map((grant) => [grant.digest, grant])).values()],
  };
}

function fileOf({ source }: AgentDefinition): string | null {
  return source !== undefined && "file" in source ? source.file : null;
}
