import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { plainName } from "../../lib/near-name.ts";
import { oneAtATime } from "../../lib/queues.ts";
import { listSome } from "../../lib/text.ts";
import type { Files } from "../files.ts";
import { chooseByName, formatLeftOut, type Replacing } from "../markdown/choose-by-name.ts";
import type { FileProblem } from "../markdown/fields.ts";
import { findMarkdown, type MarkdownFile } from "../markdown/find-markdown.ts";
import { readMarkdown, rereadChanged } from "../markdown/read-markdown.ts";
import { type AgentDir, type AgentSearch, agentDirs } from "./agent-dirs.ts";
import type { AgentDefinition } from "./definition.ts";
import { type AgentsFlag, agentsInFlag, definedBy } from "./from-fields.ts";
import {
  type AgentGrant,
  agentGrant,
  agentGrants,
  agentReplacements,
  grantOf,
  type Privilege,
  privilegesOf,
} from "./grants.ts";

export interface LoadedAgents {
  /** One for each name, with what the user has accepted. */
  readonly agents: readonly AgentDefinition[];
  /** Those that another one has replaced. */
  readonly shadowed: readonly AgentDefinition[];
  readonly problems: readonly FileProblem[];
  /** Lists what is inactive until the user agrees to it; null if everything is active. */
  readonly inert: string | null;
}

export type AgentLibrary = ReturnType<typeof agentLibrary>;

interface FoundAgent {
  readonly definition: AgentDefinition;
  /** The line of its name. */
  readonly line: number | null;
}

/**
 * Returns every agent that files and a flag define, in order of precedence: the organization's, the flag's, the
 * project's, the user's and those of plug-ins (A18.1). A faulty one is a problem, and the others are loaded.
 */
export function agentLibrary(search: AgentSearch, files: Files, flag?: AgentsFlag) {
  const read = rereadChanged((file: MarkdownFile<AgentDir>) => readAgent(file, files));
  const flagged = flag === undefined ? { agents: [], problems: [] } : agentsInFlag(flag);
  let last: LoadedAgents | null = null;
  let grants: readonly AgentGrant[] = [];
  const inTurn = oneAtATime();

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

  const next = () => inTurn(look);
  return {
    /** Returns the same object until something changes. Reads only files that have changed. Never rejects. */
    look: next,
    /** Returns the grants of the project's own definitions; the same whether the directory is trusted or not. */
    grants: () => next().then(() => grants),
  };
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

interface ReadAgent {
  readonly definition: AgentDefinition | null;
  /** The line of its name. */
  readonly line: number | null;
  readonly problems: readonly FileProblem[];
}

/** Notes that people keep next to their agents. */
const NOTES = /^(?:readme|changelog|contributing|licen[cs]e|index|claude|agents)\b/i;

/** Reads what one file defines, and what is wrong with it. Never rejects. */
async function readAgent(
  { path: file, look, names, of: { scope, prefix = "", variables = {} } }: MarkdownFile<AgentDir>,
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
  const { fields, body, bodyLine: line } = read;
  const prompt = body
    .replace(/\r\n?/g, "\n")
    .replace(/\$\{([\w.]+)\}/g, (raw, name: string) =>
      Object.hasOwn(variables, name) ? String(variables[name]) : raw,
    );
  const { definition, problems } = definedBy({
    ...{ fields, prompt, line, source: { scope, file } },
    fallbackName: basename(file).replace(/\.md$/i, ""),
    unread: read.problems.flatMap(({ key = [] }) => key),
  });
  const own =
    definition === null || scope !== "plugin" ? null : ofPlugin(definition, prefix, names.slice(0, -1));
  return {
    definition: own?.definition ?? definition,
    line: fields.get("name")?.line ?? 1,
    problems: [...read.problems, ...problems, ...(own?.problems ?? [])].map((problem) => ({
      ...{ file, line: problem.line, message: problem.message },
    })),
  };
}

/** Returns a plug-in's agent under its whole name, which the short one calls too, without what only a user may give. */
function ofPlugin(
  { hooks, mcpServers, permissionMode, merge, ...agent }: AgentDefinition,
  prefix: string,
  directories: readonly string[],
): { readonly definition: AgentDefinition; readonly problems: readonly Omit<FileProblem, "file">[] } {
  const left = Object.entries({ hooks, mcpServers, permissionMode, merge })
    .filter(([, value]) => value !== undefined)
    .map(([key]) => key);
  const message = `${left.join(", ")} of a plug-in's agent does not count; the plug-in itself can have hooks and MCP servers.`;
  const name = `${prefix}${[...directories, agent.name].join(":")}`;
  const shorter = directories.length > 0 ? [`${prefix}${agent.name}`] : [];
  const aliases = [...shorter, agent.name, ...(agent.aliases ?? [])];
  return {
    definition: { ...agent, name, aliases },
    problems: left.length === 0 ? [] : [{ line: 1, message }],
  };
}

/** True if the user has accepted the grant with this digest. */
type Agreed = (digest: string) => boolean;

const MAX_NAMED = 5;

/** Returns a project's definition without privileges that the user has not accepted. */
export function restrictUntrusted(definition: AgentDefinition, agreed: Agreed): AgentDefinition {
  const refused = refusedPrivileges(definition, agreed);
  if (refused.length === 0) return definition;
  const { hooks = {}, mcpServers, permissionMode, merge, ...rest } = definition;
  const isRefused = (type: Privilege["type"], name: string) =>
    refused.some((privilege) => privilege.type === type && privilege.name === name);
  const allowed = <Value>(type: Privilege["type"], entries: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !isRefused(type, name)));
  const allowedHooks = allowed("hook", hooks);
  // Named servers are the session's, and so the user's.
  const servers = { named: mcpServers?.named ?? [], own: allowed("server", mcpServers?.own ?? {}) };
  const hasServers = servers.named.length > 0 || Object.keys(servers.own).length > 0;
  return {
    ...rest,
    ...(Object.keys(allowedHooks).length === 0 ? {} : { hooks: allowedHooks }),
    ...(hasServers ? { mcpServers: servers } : {}),
    ...(permissionMode === undefined || isRefused("mode", permissionMode) ? {} : { permissionMode }),
    ...(merge === undefined || isRefused("merge", merge) ? {} : { merge }),
  };
}

/** Formats which definitions were restricted and in what, or returns null. */
function formatRestricted(definitions: readonly AgentDefinition[], agreed: Agreed): string | null {
  const parts = definitions.flatMap((definition) => {
    const kinds = new Set(refusedPrivileges(definition, agreed).map(kindOf));
    return kinds.size === 0 ? [] : [`${definition.name} (${[...kinds].join(", ")})`];
  });
  if (parts.length === 0) return null;
  return `This directory is not trusted, so some of what its agent definitions say does not count: ${listSome(parts, MAX_NAMED, "; ")}. --trust lets it count for this run.`;
}

function refusedPrivileges(definition: AgentDefinition, agreed: Agreed): readonly Privilege[] {
  return privilegesOf(definition).filter((privilege) => !agreed(grantOf(definition, privilege).digest));
}

function kindOf({ type, name }: Privilege): string {
  switch (type) {
    case "hook":
      return "hooks";
    case "server":
      return "MCP servers";
    case "mode":
      return `permissionMode ${name}`;
    case "merge":
      return `merge ${name}`;
    default:
      return type satisfies never;
  }
}
