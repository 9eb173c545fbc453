import { builtInAgents } from "../../context/agents/built-in.ts";
import { type AgentDefinition, type AgentSource, findAgent } from "../../context/agents/definition.ts";
import { resolveTools, unknownTools } from "../../context/agents/tool-names.ts";
import { serverSlug } from "../../mcp/names.ts";
import { type AgentModels, modelRefusal } from "../../model/model-names.ts";
import type { AgentListing } from "../../tools/agent.ts";
import { noSession, sessionTools } from "../../tools/session-tools.ts";
import { type Allowed, Toolbox } from "../../tools/toolbox.ts";

/** An agent type as users and models choose it. */
export interface ListedAgent extends AgentListing {
  readonly aliases: readonly string[];
  readonly model?: string;
  readonly source?: AgentSource;
  /** Tools that its definition names, as allowed or forbidden, and Troupe does not have. */
  readonly unknownTools?: readonly string[];
  /** Other traits of its agents in a few words: `worktree`, `background`, `plan mode`. */
  readonly traits?: readonly string[];
}

/** Returns the built-in types and the user's own, which replace built-in ones of the same name. */
export function definitionsWith(
  own: readonly AgentDefinition[],
  models: AgentModels = {},
): AgentDefinition[] {
  const all = [...builtInAgents.filter(({ name }) => !findAgent(own, name)), ...own];
  return all.map((definition) => withModel(definition, models));
}

/** Lists one type. The toolbox does not have Agent yet, since its description is made of these listings. */
export function listingOf(definition: AgentDefinition, toolbox: Toolbox): ListedAgent {
  const { name, aliases = [], whenToUse, tools, disallowedTools = [], model } = definition;
  const source = builtInAgents.includes(definition) ? BUILT_IN : definition.source;
  const offered = toolbox.names(namedTools(definition), [...disallowedTools, ...MAIN_ONLY_TOOLS]);
  const spawning = startsAgents(definition, toolbox.known) ? ["Agent"] : [];
  const unknown = [...(tools === "all" ? [] : tools), ...disallowedTools];
  const notHere = unknownTools([...new Set(unknown)], toolbox.known);
  const traits = traitsOf(definition);
  return {
    name,
    aliases,
    whenToUse,
    tools: [...offered, ...spawning],
    ...(model === undefined ? {} : { model }),
    ...(source === undefined ? {} : { source }),
    ...(notHere.length === 0 ? {} : { unknownTools: notHere }),
    ...(traits.length === 0 ? {} : { traits }),
  };
}

const BUILT_IN: AgentSource = { scope: "built-in" };
/** Both names of the Agent tool. */
const SPAWNING: readonly string[] = ["Agent", "Task"];

function startsAgents({ tools, disallowedTools = [] }: AgentDefinition, known: ReadonlySet<string>): boolean {
  const names = (named: readonly string[]) =>
    resolveTools(named, known).some((tool) => SPAWNING.includes(tool));
  return !names(disallowedTools) && (tools === "all" || names(tools));
}

function traitsOf({
  isolation,
  background,
  maxTurns,
  permissionMode,
  outputSchema,
  mcpServers,
}: AgentDefinition): readonly string[] {
  const servers = Object.keys(mcpServers?.own ?? {});
  return [
    ...(servers.length === 0 ? [] : [`its own MCP ${oneOrMore(servers)}`]),
    ...(isolation === undefined ? [] : ["a worktree of its own"]),
    ...(background ? ["in the background"] : []),
    ...(permissionMode === undefined ? [] : [`permission mode ${permissionMode} at most`]),
    ...(maxTurns === undefined ? [] : [`${maxTurns} turns`]),
    ...(outputSchema === undefined ? [] : ["answers with data"]),
  ];
}

function oneOrMore(servers: readonly string[]): string {
  return `${servers.length === 1 ? "server" : "servers"} ${servers.join(", ")}`;
}

/** Lists what a session without settings would offer. */
export function listAgents(own: readonly AgentDefinition[] = [], models: AgentModels = {}): ListedAgent[] {
  const toolbox = new Toolbox(() => false);
  toolbox.fill({ ours: sessionTools(noSession), custom: [] });
  return definitionsWith(own, models).map((definition) => listingOf(definition, toolbox));
}

/** Returns the definition with the model from the settings, which takes precedence over its own. */
function withModel(definition: AgentDefinition, models: AgentModels): AgentDefinition {
  const builtIn = builtInAgents.includes(definition);
  const wanted = chooseModel(definition, models, builtIn);
  const isRefused =
    wanted !== undefined && modelRefusal(wanted, models.availableModels, models.aliases) !== null;
  const chosen = isRefused ? undefined : wanted;
  if (chosen === definition.model) return definition;
  const { model: _, ...rest } = definition;
  return {
    ...rest,
    ...(chosen === undefined ? {} : { model: chosen }),
    ...(builtIn ? { source: { scope: "built-in" } as const } : {}),
  };
}

function chooseModel(
  definition: AgentDefinition,
  { agentModels = {}, smallModel }: AgentModels,
  builtIn: boolean,
): string | undefined {
  const { name, model } = definition;
  const named = Object.entries(agentModels).find(([type]) => findAgent([definition], type))?.[1];
  const small = builtIn && name === "Explore" ? smallModel : undefined;
  const chosen = named ?? agentModels["*"] ?? model ?? small;
  return chosen === "inherit" ? undefined : chosen;
}

const SKILL = "Skill";

/** Returns the tools of a definition: those it lists, and those that its servers and skills need. */
export function namedTools({ tools, mcpServers, skills = [] }: AgentDefinition): Allowed {
  if (tools === "all") return tools;
  const servers = mcpServers ? [...mcpServers.named, ...Object.keys(mcpServers.own)] : [];
  const ofServers = servers.map((name) => `mcp__${serverSlug(name)}`);
  return [...tools, ...ofServers, ...(skills.length > 0 ? [SKILL] : [])];
}

/** Tools of the main conversation alone: only it enters and exits plan mode or a worktree, is woken by a timer, and runs scripts. */
export const MAIN_ONLY_TOOLS: readonly string[] = [
  "EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree",
  "CronCreate CronList CronDelete ScheduleWakeup Workflow",
].flatMap((line) => line.split(" "));
