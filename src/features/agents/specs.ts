import { isAbsolute, join, relative, sep } from "node:path";
import type { AgentDefinition } from "../../context/agents/definition.ts";
import { schemaWords } from "../../context/agents/retry-text.ts";
import { assemble, messagesOf, type Part, systemOf } from "../../context/assemble.ts";
import { boundsOf } from "../../context/compaction/bounds.ts";
import type { Reference } from "../../context/references.ts";
import { mainRole, mainSections } from "../../context/system.ts";
import { worktreeText } from "../../context/worktree-text.ts";
import type { Accept } from "../../mailbox/acceptance.ts";
import type { Effort } from "../../mailbox/asked-model.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { ActorSpec, AgentTool, JsonSchema } from "../../mailbox/messages.ts";
import type { Isolation } from "../../mailbox/worktree.ts";
import { resolveModel } from "../../model/aliases.ts";
import type { AvailableModels } from "../../model/available-models.ts";
import type { AddedDirs } from "../../policy/confinement/added-dirs.ts";
import type { Limits } from "../../settings/limits.ts";
import { turnsWithin } from "../../settings/limits.ts";
import { narrower } from "../../settings/modes.ts";
import type { PermissionMode } from "../../settings/rules.ts";
import { FILE_RULES, type FileRules } from "../../tools/tool.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import { recordAccept } from "../accept/stated.ts";
import type { Budget } from "../budget/budget.ts";
import { formatLimits } from "../budget/spawn-limits.ts";
import { type CompactionOptions, windowFor } from "../compaction/windows.ts";
import type { FirstWords, SessionContext } from "../context/session-context.ts";
import { STANDING_WORDS } from "../context/situation.ts";
import { modelSpec, type SessionModels } from "../models/index.ts";
import type { Runners } from "../runners/index.ts";
import type { SessionSkills } from "../skills/session-skills.ts";
import { type DeferOptions, type DeferredTools, selectDeferredTools } from "../tool-search/index.ts";
import { namedTools } from "./definition-tools.ts";
import { MAIN_ONLY_TOOLS } from "./main-only-tools.ts";

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

const SPAWNING = "Agent";

/**
 * Builds an agent's spec. The call's model takes precedence over the definition's, and that over the session's
 * (A11.4).
 */
export function agentSpec(
  common: Common,
  definition: AgentDefinition,
  spawn: NewAgent,
  budget: Budget = {},
): ActorSpec {
  return spec(common, agentOwnParts(common, definition, spawn, budget));
}

/** Returns the parts of the agent's first request. */
export function agentParts(
  common: Common,
  definition: AgentDefinition,
  spawn: NewAgent,
  budget: Budget = {},
): Preview {
  return preview(common, agentOwnParts(common, definition, spawn, budget));
}

function agentOwnParts(
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
  const place = { root, isolation, additionalDirs: foldersOf(common, isolation) };
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

function canEdit(tools: readonly AgentTool[]): boolean {
  return tools.some(({ name }) => name === "Edit" || name === "Write");
}

/** Returns the strictest of the limits: an agent is held to its caller's. */
function narrowest(
  own: PermissionMode | undefined,
  parents: PermissionMode | undefined,
): PermissionMode | undefined {
  return own === undefined ? parents : narrower(own, parents);
}

export function mainSpec(common: Common, prompt: string): ActorSpec {
  return spec(common, mainOwnParts(common, prompt));
}

/** Returns the parts of the main conversation's first request. */
export function mainParts(common: Common, prompt: string): Preview {
  return preview(common, mainOwnParts(common, prompt));
}

function mainOwnParts(common: Common, prompt: string): OwnParts {
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

interface OwnParts
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

/** What a model is sent first. */
export interface Preview {
  readonly model: string;
  /** Tokens of its context window. */
  readonly window: number;
  readonly parts: readonly Part<AgentTool>[];
}

function preview(common: Common, own: OwnParts): Preview {
  const { tokens } = windowFor(own.model, common.options.compaction);
  return {
    model: own.model,
    window: tokens,
    parts: partsOf(common, own, firstWords(common, own, tokens)),
  };
}

function firstWords({ knowledge }: Common, own: OwnParts, window: number): FirstWords {
  const { id, memory, tools, isolation, permissionMode, images } = own;
  const has = (tool: string) => tools.some(({ name }) => name === tool);
  return knowledge.first({
    ...{ memory, leads: id === MAIN, window, images },
    ...{ skills: has("Skill"), agents: has(SPAWNING) },
    // Its own worktree starts clean, at a commit.
    ...{ edits: isolation === undefined && canEdit(tools), atMost: permissionMode },
  });
}

/** Builds the context: the only function that does. */
function partsOf(
  common: Common,
  own: OwnParts,
  { memory, skills, attached, pictures }: FirstWords,
): readonly Part<AgentTool>[] {
  const { options, heldBy } = common;
  const { role, prompt, root = options.cwd, isolation, model } = own;
  const additionalDirs = foldersOf(common, isolation);
  const bounds = boundsOf(windowFor(model, options.compaction), common.limits);
  const { tools, names } = splitTools(common, own);
  return assemble({
    role,
    environment: { cwd: root, additionalDirs, platform: process.platform, model, limits: bounds },
    place: [
      isolation ? worktreeText({ ...isolation, path: isolation.away ?? isolation.path }) : "",
      STANDING_WORDS,
    ]
      .filter(Boolean)
      .join("\n\n"),
    memory,
    tools: tools
      .filter(({ deferred }) => !deferred)
      .map((tool) => withPolicy(tool, () => heldBy(root, isolation))),
    deferredTools:
      names === null ? null : { text: names, placement: options.deferTools?.names ?? "attached" },
    skills,
    history: [],
    turn: { attached, pictures, prompt },
  });
}

/** Splits off the deferred tools. */
function splitTools({ options, toolbox }: Common, { tools, model, awaits }: OwnParts): DeferredTools {
  const { tokens: window } = windowFor(model, options.compaction);
  return selectDeferredTools(tools, options.deferTools ?? {}, { window, awaits }, toolbox);
}

function foldersOf({ added }: Common, isolation?: Isolation): string[] {
  return (added?.now ?? []).map((folder) => (isolation ? inTree(folder, isolation) : folder));
}

function spec(common: Common, given: OwnParts): ActorSpec {
  const { options, limits } = common;
  const { role: _, prompt: __, memory: ___, awaits: ____, images: _____, root = options.cwd, ...own } = given;
  const { thinkingTokens = limits.thinkingTokens, effort = options.effort } = own;
  const words = firstWords(common, given, windowFor(own.model, options.compaction).tokens);
  const parts = partsOf(common, given, words);
  const { knows, reads } = words;
  return {
    ...own,
    tools: [
      ...parts.flatMap((part) => (part.name === "tool schemas" ? part.tools : [])),
      ...splitTools(common, given).tools.filter(({ deferred }) => deferred),
    ],
    attempt: 1,
    system: systemOf(parts),
    ...(Object.keys(knows).length === 0 ? {} : { knows }),
    ...modelSpec(common, own.model),
    ...(thinkingTokens > 0 ? { thinkingTokens } : {}),
    ...(effort === undefined ? {} : { effort }),
    parallelCalls: limits.parallelCalls,
    root,
    additionalDirs: foldersOf(common, own.isolation),
    ...(options.fileRules ? { fileRules: { ...FILE_RULES, ...options.fileRules } } : {}),
    messages: messagesOf(parts),
    ...(reads.length === 0 ? {} : { inherited: { reads: [...reads], cwd: root } }),
    turns: [],
    heard: [],
  };
}

/** Translates a directory of the checkout to the same one in the agent's worktree. */
function inTree(folder: string, { checkout, path: here, away: path = here }: Isolation): string {
  const within = relative(checkout, folder);
  return within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within) ? folder : join(path, within);
}

/** Replaces Bash of the agent's own thread; a library user's Bash is not subject to the sandbox. */
function withPolicy(tool: AgentTool, policy: () => string): AgentTool {
  if (tool.name !== "Bash" || tool.side !== "agent") return tool;
  const held = policy();
  return held === "" ? tool : { ...tool, description: `${tool.description}\n\n${held}` };
}
