import { assemble, messagesOf, type Part, systemOf, worktreeText } from "../../context/assemble.ts";
import { boundsOf } from "../../context/compaction/bounds.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { ActorSpec, AgentTool } from "../../mailbox/messages.ts";
import { commandLimitsOf } from "../../settings/limits.ts";
import { FILE_RULES } from "../../tools/tool.ts";
import { windowFor } from "../compaction/windows.ts";
import type { FirstWords } from "../context/session-context.ts";
import { STANDING_WORDS } from "../context/situation.ts";
import { modelSpec } from "../models/index.ts";
import { type DeferredTools, selectDeferredTools } from "../tool-search/index.ts";
import { additionalDirsOf, type Common, canEdit, type OwnParts, SPAWNING } from "./own-parts.ts";

/** What a model is sent first. */
export interface Preview {
  readonly model: string;
  /** Tokens of its context window. */
  readonly window: number;
  readonly parts: readonly Part<AgentTool>[];
}

/** Returns the parts of an actor's first request. */
export function previewOf(common: Common, own: OwnParts): Preview {
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
  const additionalDirs = additionalDirsOf(common, isolation);
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

/** Builds an actor's spec. */
export function specOf(common: Common, given: OwnParts): ActorSpec {
  const { options, limits } = common;
  const { role: _, prompt: __, memory: ___, awaits: ____, images: _____, root = options.cwd, ...own } = given;
  const commandLimits = commandLimitsOf(limits);
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
    ...(commandLimits === undefined ? {} : { commandLimits }),
    root,
    additionalDirs: additionalDirsOf(common, own.isolation),
    ...(options.fileRules ? { fileRules: { ...FILE_RULES, ...options.fileRules } } : {}),
    messages: messagesOf(parts),
    ...(reads.length === 0 ? {} : { inherited: { reads: [...reads], cwd: root } }),
    turns: [],
    heard: [],
  };
}

/** Replaces Bash of the agent's own thread; a library user's Bash is not subject to the sandbox. */
function withPolicy(tool: AgentTool, policy: () => string): AgentTool {
  if (tool.name !== "Bash" || tool.side !== "agent") return tool;
  const held = policy();
  return held === "" ? tool : { ...tool, description: `${tool.description}\n\n${held}` };
}
