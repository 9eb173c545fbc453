import { join, relative } from "node:path";
import type { AgentDefinition } from "../../context/agents/definition.ts";
import { schemaWords } from "../../context/agents/retry-text.ts";
import { mainRole, mainSections } from "../../context/assemble.ts";
import type { Reference } from "../../context/references.ts";
import { isPathInside } from "../../lib/paths.ts";
import type { Accept } from "../../mailbox/acceptance.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { ActorSpec, AgentTool, JsonSchema } from "../../mailbox/messages.ts";
import type { Effort } from "../../mailbox/model.ts";
import type { Isolation } from "../../mailbox/worktree.ts";
import { type AvailableModels, resolveModel } from "../../model/model-names.ts";
import type { AddedDirs } from "../../policy/confinement/write-scope.ts";
import { type Limits, turnsWithin } from "../../settings/limits.ts";
import { narrower, type PermissionMode } from "../../settings/permissions.ts";
import type { FileRules } from "../../tools/tool.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import { recordAccept } from "../accept/stated.ts";
import type { Budget } from "../budget/budget.ts";
import { formatLimits } from "../budget/spawn-limits.ts";
import { type CompactionOptions, windowFor } from "../compaction/windows.ts";
import type { SessionContext } from "../context/session-context.ts";
import type { SessionModels } from "../models/index.ts";
import type { Runners } from "../runners/index.ts";
import type { SessionSkills } from "../skills/session-skills.ts";
import type { DeferOptions } from "../tool-search/index.ts";
import { MAIN_ONLY_TOOLS, namedTools } from "./listing.ts";

/** The session options that concern its actors. */
export interface SpecOptions {
  readonly cwd: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly availableModels?: AvailableModels;
  readonly effort?: Effort;
  readonly limits?: Partial<Limits>;
  readonly compaction?: CompactionOptions;
  readonly mainAgent?: AgentDefinition;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly outputSchema?: JsonSchema;
  readonly fileRules?: Partial<FileRules>;
  readonly deferTools?: DeferOptions;
  readonly budget?: Budget;
  readonly runners?: Pick<Runners, "pool">;
}

/** What all actors of a session have in common. */
export interface Common {
  readonly options: SpecOptions;
  /** Directories in addition to the session's own; none if absent. */
  readonly added?: AddedDirs;
  readonly limits: Limits;
  readonly toolbox: Toolbox;
  readonly knowledge: SessionContext;
  /** Null or absent if the session has no skills. */
  readonly skills?: Pick<SessionSkills, "preload"> | null;
  readonly models: Pick<SessionModels, "usual">;
  /** Describes to a model the sandbox for commands at this root (A4.6); empty if there is no sandbox. */
  readonly heldBy: (root: string, isolation?: Isolation) => string;
}

/** What a new agent is asked for. */
export interface AskedAgent {
  readonly description: string;
  readonly prompt: string;
  /** Images of its task. */
  readonly images?: readonly Reference[];
  readonly model: string | undefined;
  readonly tokenBudget?: number | undefined;
  /** The schema of its answer; takes precedence over the definition's. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Takes precedence over the definition's. */
  readonly accept?: Accept | undefined;
  readonly thread?: "own" | undefined;
  readonly key?: string | undefined;
}

/** A new agent: what it is asked for, and where it works. */
export interface NewAgent extends AskedAgent {
  readonly id: ActorId;
  readonly parent: Pick<ActorSpec, "id" | "depth" | "permissionMode"> | null;
  /** Its root; by default the session's. */
  readonly root?: string;
  /** Its own worktree, which contains `root`. */
  readonly isolation?: Isolation;
  /** The pool of its runner; absent: it runs here. */
  readonly pool?: string | undefined;
  /** Slugs of the MCP servers that its definition brings and that are held for it. */
  readonly servers?: readonly string[];
}

/** The tool that starts agents. */
export const SPAWNING = "Agent";

/** What an actor has of its own: its spec follows from it and from what all actors of its session have in common. */
export interface OwnParts
  extends Pick<
    ActorSpec,
    | "id"
    | "parent"
    | "depth"
    | "type"
    | "description"
    | "model"
    | "maxTurns"
    | "isolation"
    | "tokenBudget"
    | "outputSchema"
    | "accept"
    | "filesBefore"
    | "permissionMode"
    | "skills"
    | "thinkingTokens"
    | "effort"
    | "thread"
    | "pool"
  > {
  readonly root?: string;
  readonly role: string;
  readonly tools: AgentTool[];
  /** True if MCP servers that are still starting may bring more tools. */
  readonly awaits: boolean;
  readonly prompt: string;
  readonly images: readonly Reference[];
  /** True if it sees memory files. */
  readonly memory: boolean;
}

/**
 * Returns what an agent has of its own. The call's model takes precedence over the definition's, and that over the session's
 * (A11.4).
 */
export function agentOwnParts(
  common: Common,
  definition: AgentDefinition,
  spawn: NewAgent,
  budget: Budget,
): OwnParts {
  const { limits, toolbox, options } = common;
  const depth = (spawn.parent?.depth ?? 0) + 1;
  const tooDeep = depth >= limits.maxDepth ? [SPAWNING] : [];
  const forbidden = [...(definition.disallowedTools ?? []), ...MAIN_ONLY_TOOLS, ...tooDeep];
  const { servers = [] } = spawn;
  const tools = toolbox.select(namedTools(definition), forbidden, servers);
  const maxTurns = turnsWithin(limits, definition.maxTurns);
  const startsAgents = tools.some(({ name }) => name === SPAWNING);
  const limitsText = formatLimits({ depth, startsAgents, maxTurns, budget }, limits);
  const model = resolveModel(spawn.model ?? definition.model ?? common.models.usual, options.aliases);
  const mode = narrowest(definition.permissionMode, spawn.parent?.permissionMode);
  const accept = spawn.accept ?? definition.accept;
  const { root = options.cwd, isolation } = spawn;
  const place = { root, isolation, additionalDirs: additionalDirsOf(common, isolation) };
  const outputSchema = spawn.outputSchema ?? accept?.schema ?? definition.outputSchema;
  const canLoad = tools.some(({ name }) => name === "Skill");
  const { tokens: window } = windowFor(model, options.compaction);
  const skills = common.skills?.preload(definition, { window, canLoad });
  return {
    id: spawn.id,
    parent: spawn.parent?.id ?? null,
    depth,
    type: definition.name,
    description: spawn.description,
    ...definedThinking(definition),
    ...(spawn.key === undefined ? {} : { key: spawn.key }),
    ...(spawn.pool === undefined ? {} : { pool: spawn.pool }),
    ...((spawn.thread ?? definition.thread) === "own" ? { thread: "own" as const } : {}),
    role: [definition.prompt, skills?.text, canEdit(tools) ? mainSections.code : "", limitsText]
      .filter(Boolean)
      .join("\n\n"),
    tools,
    awaits: toolbox.awaits(namedTools(definition), forbidden, servers),
    model,
    maxTurns,
    // An infinite budget is no budget; Infinity would not survive the way to a thread.
    ...(Number.isFinite(spawn.tokenBudget) ? { tokenBudget: spawn.tokenBudget } : {}),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...recordAccept(accept, place, outputSchema),
    ...(mode === undefined ? {} : { permissionMode: mode }),
    prompt: outputSchema === undefined ? spawn.prompt : `${spawn.prompt}\n\n${schemaWords(outputSchema)}`,
    images: spawn.images ?? [],
    memory: definition.memory ?? true,
    ...(skills && skills.loaded.length > 0 ? { skills: [...skills.loaded] } : {}),
    ...(spawn.root === undefined ? {} : { root: spawn.root }),
    ...(spawn.isolation === undefined ? {} : { isolation: spawn.isolation }),
  };
}

function definedThinking({
  thinkingTokens,
  effort,
}: AgentDefinition): Pick<OwnParts, "thinkingTokens" | "effort"> {
  return {
    ...(thinkingTokens === undefined ? {} : { thinkingTokens }),
    ...(effort === undefined ? {} : { effort }),
  };
}

export function canEdit(tools: readonly AgentTool[]): boolean {
  return tools.some(({ name }) => name === "Edit" || name === "Write");
}

/** Returns the strictest of the limits: an agent is held to its caller's. */
function narrowest(
  own: PermissionMode | undefined,
  parents: PermissionMode | undefined,
): PermissionMode | undefined {
  return own === undefined ? parents : narrower(own, parents);
}

/** Returns what the main conversation has of its own. */
export function mainOwnParts(common: Common, prompt: string): OwnParts {
  const { limits, toolbox, options, models } = common;
  const { maxTurns } = limits;
  const { mainAgent, systemPrompt = mainAgent?.prompt ?? mainRole(), outputSchema } = options;
  const asked = outputSchema === undefined ? "" : schemaWords(outputSchema);
  const allowed = mainAgent ? namedTools(mainAgent) : "all";
  const forbidden = [...(mainAgent?.disallowedTools ?? []), ...(limits.maxDepth > 0 ? [] : [SPAWNING])];
  const tools = toolbox.select(allowed, forbidden);
  const startsAgents = tools.some(({ name }) => name === SPAWNING);
  const limitsText = formatLimits({ depth: 0, startsAgents, maxTurns, budget: options.budget ?? {} }, limits);
  return {
    id: MAIN,
    parent: null,
    depth: 0,
    type: "main",
    description: "main conversation",
    role: [systemPrompt, limitsText, options.appendSystemPrompt, asked].filter(Boolean).join("\n\n"),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...{ tools, model: models.usual, maxTurns },
    awaits: toolbox.awaits(allowed, forbidden, []),
    prompt,
    images: [],
    memory: true,
  };
}

/** Returns the directories in addition to an actor's root, as it has them. */
export function additionalDirsOf({ added }: Common, isolation?: Isolation): string[] {
  return (added?.now ?? []).map((folder) => (isolation ? inTree(folder, isolation) : folder));
}

/** Translates a directory of the checkout to the same one in the agent's worktree. */
function inTree(folder: string, { checkout, path: here, away: path = here }: Isolation): string {
  return isPathInside(folder, checkout) ? join(path, relative(checkout, folder)) : folder;
}
