import type { AgentSearch } from "../../context/agents/agent-dirs.ts";
import { type AgentDefinition, findAgent } from "../../context/agents/definition.ts";
import type { AgentsFlag } from "../../context/agents/from-fields.ts";
import type { AgentLibrary, LoadedAgents } from "../../context/agents/load.ts";
import { formatProblem } from "../../context/markdown/fields.ts";
import type { AgentPlacement } from "../../features/agents/agent-types.ts";
import type { ListedAgent } from "../../features/agents/listing.ts";
import { nearName } from "../../lib/near-name.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { Arguments } from "../arguments.ts";
import { managedDir } from "../directories.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import type { CliIO } from "../process-io.ts";
import { readFlagObject } from "../read-input.ts";
import { sessionFlags as flags } from "../session-flags.ts";

/** At the start of a session; `troupe agents` lists all. */
const MOST_NOTES = 3;

/** Finds the agent types that files and the flag define for a directory. */
export async function agentLibraryIn(
  io: CliIO,
  cwd: string,
  flag: AgentsFlag | undefined,
  trust: Pick<AgentSearch, "trusted" | "agreed" | "plugins">,
): Promise<AgentLibrary> {
  const { agentLibrary } = await import("../../context/agents/load.ts");
  const { diskFiles } = await import("../../context/files.ts");
  return agentLibrary(
    { cwd, ...userPlaces(io.env, io.homedir), managed: managedDir(io), ...trust },
    diskFiles,
    flag,
  );
}

/** Reads the agent types for a session. Each problem of their files is noted once. */
export async function sessionAgents(library: AgentLibrary, { withServers = true, withHooks = true } = {}) {
  let known = await library.look();
  const noted = new Set<string>();
  const notesOn = ({ problems, inert }: LoadedAgents): readonly string[] => {
    const fresh = problems.map(formatProblem).filter((line) => !noted.has(line));
    const more = fresh.length - MOST_NOTES;
    const notes = [
      ...fresh.slice(0, MOST_NOTES),
      ...(more > 0 ? [`${more} more of this kind; troupe agents lists all of them.`] : []),
      ...(inert === null || noted.has(inert) ? [] : [inert]),
    ];
    for (const line of [...fresh, ...notes]) noted.add(line);
    return notes;
  };
  const restrict = ({ hooks, mcpServers, ...definition }: AgentDefinition): AgentDefinition => ({
    ...definition,
    ...(hooks === undefined || !withHooks ? {} : { hooks }),
    ...(mcpServers === undefined
      ? {}
      : { mcpServers: withServers ? mcpServers : { ...mcpServers, own: {} } }),
  });
  return {
    agents: known.agents.map(restrict),
    /** What the user must know of them. */
    notes: notesOn(known),
    /** As they are before a later prompt. */
    async agentsNow() {
      const now = await library.look();
      if (now === known) return null;
      known = now;
      return { agents: now.agents.map(restrict), notes: notesOn(now) };
    },
  };
}

/** Reads the agents of --agents; undefined without the flag. Throws a `UsageError` if they cannot be read. */
export async function agentsFlagIn(args: Arguments, { cwd }: CliIO): Promise<AgentsFlag | undefined> {
  const given = args.value(flags.agents);
  if (given === undefined) return undefined;
  const wanted = "an object of agents by name, each with a description and a prompt";
  return { ...(await readFlagObject("--agents", given, cwd, wanted)) };
}

/** Returns the secrets that the servers of these agents are given. */
export async function secretsOfAgents(
  agents: readonly AgentDefinition[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const servers = agents.map(({ mcpServers }) => mcpServers?.own ?? {});
  if (servers.every((own) => Object.keys(own).length === 0)) return [];
  const { secretsIn } = await import("../mcp/chosen-servers.ts");
  return servers.flatMap((own) => secretsIn(own, env));
}

/** Returns where the list of agents goes: as the environment says, else as settings do (A4.17). */
export function agentListing(
  { CLAUDE_CODE_AGENT_LIST_IN_MESSAGES: given = "" }: Readonly<Record<string, string | undefined>>,
  settings: AgentPlacement | undefined,
): AgentPlacement {
  const value = given.trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(value)) return "attached";
  return ["0", "false", "no", "off"].includes(value) ? "inline" : (settings ?? "inline");
}

/** Finds an agent type by its name in any case and with any separators. Throws a `UsageError` that lists the types. */
export function agentType(given: string, agents: readonly ListedAgent[]): string {
  const found = findAgent(agents, given);
  if (found) return found.name;
  const names = agents.map(({ name }) => name);
  const guess = nearName(given, names);
  throw new UsageError(
    `There is no agent ${quoted(given)}${guess ? ` (did you mean ${guess}?)` : ""}; there are ${names.join(", ")}.`,
  );
}
