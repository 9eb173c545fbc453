import type { AgentDefinition } from "../actors/definitions/definition.ts";
import { mainRole, systemPrompt } from "../context/system.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { ActorSpec, AgentTool } from "../mailbox/messages.ts";
import { resolveModel } from "../model/aliases.ts";
import { FILE_RULES } from "../tools/tool.ts";
import type { Budget } from "./budget/budget.ts";
import { limitsTold } from "./budget/spawn-limits.ts";
import { turnsWithin } from "./limits.ts";
import type { Limits, SupervisorOptions } from "./options.ts";
import type { Toolbox } from "./toolbox.ts";
import { windowFor } from "./windows.ts";

/** What all actors of a session have in common. */
export interface Common {
  readonly options: SupervisorOptions;
  readonly limits: Limits;
  readonly toolbox: Toolbox;
  /** The session's model, resolved. */
  readonly model: string;
  /** What holds the commands of an agent with this root, in a model's words (A4.6); empty: nothing does. */
  readonly heldBy: (root: string) => string;
}

export interface Spawn {
  readonly id: ActorId;
  readonly parent: { readonly id: ActorId; readonly depth: number } | null;
  readonly description: string;
  readonly prompt: string;
  readonly model: string | undefined;
  readonly tokenBudget?: number;
}

const SPAWNING = "Agent";
/** Only the main conversation enters and leaves plan mode. */
export const MAINS_OWN: readonly string[] = ["EnterPlanMode", "ExitPlanMode"];

/** An agent's spec. Precedence of models: the call's, then the definition's, then the session's (A11.4). */
export function agentSpec(
  common: Common,
  definition: AgentDefinition,
  spawn: Spawn,
  budget: Budget = {},
): ActorSpec {
  const { limits, toolbox, options } = common;
  const depth = (spawn.parent?.depth ?? 0) + 1;
  const tooDeep = depth >= limits.maxDepth ? [SPAWNING] : [];
  const forbidden = [...(definition.disallowedTools ?? []), ...MAINS_OWN, ...tooDeep];
  const tools = toolbox.select(definition.tools, forbidden);
  const maxTurns = turnsWithin(limits, definition.maxTurns);
  const startsAgents = tools.some(({ name }) => name === SPAWNING);
  const told = limitsTold({ depth, startsAgents, maxTurns, budget }, limits);
  const model = resolveModel(spawn.model ?? definition.model ?? common.model, options.aliases);
  return spec(common, {
    id: spawn.id,
    parent: spawn.parent?.id ?? null,
    depth,
    type: definition.name,
    description: spawn.description,
    role: `${definition.prompt}\n\n${told}`,
    tools,
    model,
    maxTurns,
    // A budget without end is none; infinity would not survive the way to a thread.
    ...(Number.isFinite(spawn.tokenBudget) ? { tokenBudget: spawn.tokenBudget } : {}),
    prompt: spawn.prompt,
  });
}

export function mainSpec(common: Common, prompt: string): ActorSpec {
  const { limits, toolbox, options, model } = common;
  const { maxTurns } = limits;
  const tools = toolbox.select("all", limits.maxDepth > 0 ? [] : [SPAWNING]);
  const startsAgents = tools.some(({ name }) => name === SPAWNING);
  const told = limitsTold({ depth: 0, startsAgents, maxTurns, budget: options.budget ?? {} }, limits);
  return spec(common, {
    id: MAIN,
    parent: null,
    depth: 0,
    type: "main",
    description: "main conversation",
    role: [mainRole, told, options.appendSystemPrompt].filter(Boolean).join("\n\n"),
    ...{ tools, model, maxTurns },
    prompt,
  });
}

interface Particular
  extends Pick<ActorSpec, "id" | "parent" | "depth" | "type" | "description" | "model" | "maxTurns"> {
  readonly role: string;
  readonly tools: AgentTool[];
  readonly prompt: string;
}

function spec({ options, limits, heldBy }: Common, { role, prompt, tools, ...own }: Particular): ActorSpec {
  const additionalDirs = [...(options.additionalDirs ?? [])];
  return {
    ...own,
    tools: tools.map((tool) => withPolicy(tool, () => heldBy(options.cwd))),
    attempt: 1,
    system: systemPrompt(role, {
      cwd: options.cwd,
      additionalDirs,
      platform: process.platform,
      model: own.model,
    }),
    maxTokens: limits.maxTokens,
    window: windowFor(own.model, options.compaction),
    ...(limits.thinkingTokens > 0 ? { thinkingTokens: limits.thinkingTokens } : {}),
    root: options.cwd,
    additionalDirs,
    ...(options.fileRules ? { fileRules: { ...FILE_RULES, ...options.fileRules } } : {}),
    messages: [{ role: "user", content: prompt }],
    turns: [],
    heard: [],
  };
}

/** Bash of the agent's own thread: a library user's own is not what the sandbox holds. */
function withPolicy(tool: AgentTool, policy: () => string): AgentTool {
  if (tool.name !== "Bash" || tool.side !== "agent") return tool;
  const held = policy();
  return held === "" ? tool : { ...tool, description: `${tool.description}\n\n${held}` };
}
