import { formatCount, formatDollars, formatNumber, span } from "../../lib/text.ts";
import type { Limits } from "../../settings/limits.ts";
import { amount, type Budget, type BudgetKind } from "./budget.ts";

/** Where the agent that wants to start another one is in the agent tree. */
export interface Standing {
  /** 0 is the main conversation. */
  readonly depth: number;
  /** Agents that it has started so far, ended or not. */
  readonly children: number;
  /** Agents of the whole session so far, without the main conversation. */
  readonly agents: number;
}

type SpawnBounds = Pick<Limits, "maxDepth" | "maxChildren" | "maxAgentsPerSession">;

/** Returns the limit that forbids another agent, and what the model can do instead, or null (C6). */
export function spawnLimits({ depth, children, agents }: Standing, bounds: SpawnBounds): string | null {
  const { maxDepth, maxChildren, maxAgentsPerSession } = bounds;
  const instead = "Do the task yourself";
  if (depth >= maxDepth)
    return `This agent was not started: agents may be nested ${maxDepth} deep (troupe.maxDepth), and you are at depth ${depth}. ${instead}.`;
  if (children >= maxChildren)
    return `This agent was not started: you have started ${formatCount(children, "agent")}, and may start ${formatNumber(maxChildren)} (troupe.maxChildren). ${instead}, or answer with the reports that you have.`;
  if (agents >= maxAgentsPerSession)
    return `This agent was not started: this session has started ${formatCount(agents, "agent")}, and may start ${formatNumber(maxAgentsPerSession)} (troupe.maxAgentsPerSession). ${instead}, or answer with what you have.`;
  return null;
}

/** What an agent's prompt says of its limits: fixed for its lifetime, and the same for all of a type and depth. */
export interface AnnouncedLimits {
  readonly depth: number;
  /** True if it has a tool to start agents. */
  readonly startsAgents: boolean;
  readonly maxTurns: number;
  readonly budget: Budget;
}

/** Formats the lines of its system prompt about its depth and limits (C6). */
export function formatLimits(announced: AnnouncedLimits, bounds: SpawnBounds): string {
  const starts = announced.startsAgents && announced.depth < bounds.maxDepth;
  return [depthLine(announced.depth, starts, bounds), limitsLine(announced, starts)].join("\n");
}

function depthLine(depth: number, starts: boolean, { maxDepth, maxChildren }: SpawnBounds): string {
  const where = depth === 0 ? "You are at depth 0" : `You are an agent at depth ${depth}`;
  if (!starts) return `${where} of ${maxDepth}: you start no agents, the task is yours alone.`;
  const theirs = depth + 1 >= maxDepth ? "; they can start none" : "";
  const handOn = depth === 0 ? "" : " Never hand on your whole task to one.";
  return `${where} of ${maxDepth}: you may start ${formatNumber(maxChildren)} agents${theirs}.${handOn}`;
}

function limitsLine({ maxTurns, budget }: AnnouncedLimits, starts: boolean): string {
  const { turns = Number.POSITIVE_INFINITY, tokens, usd, ms } = budget;
  const limits = [
    formatCount(Math.min(maxTurns, turns), "turn"),
    ...(tokens === undefined ? [] : [formatCount(tokens, "token")]),
    ...(usd === undefined ? [] : [formatDollars(usd)]),
    ...(ms === undefined ? [] : [span(ms)]),
  ];
  const all = limits.length === 1 ? limits[0] : `${limits.slice(0, -1).join(", ")} and ${limits.at(-1)}`;
  const shared = starts && limits.length > 1 ? " in all, with the agents you start" : "";
  return `Your limit is ${all}${shared}: before it is reached you are asked for your answer, so keep what matters at hand.`;
}

/** Whose allowance an agent draws on if it has none of its own. */
export type BudgetHolder = "session" | "agent";

export interface Shortage {
  readonly kind: BudgetKind;
  /** What the agent needs at its start. */
  readonly needed: number;
  /** Neither spent nor set aside nor reserved for summaries; may be negative. */
  readonly free: number;
  readonly limit: number;
  readonly whose: BudgetHolder;
}

/** Formats for the calling model why an agent does not start. */
export function notEnough({ kind, needed, free, limit, whose }: Shortage): string {
  const budget = `${whose === "session" ? "this session's" : "your"} budget of ${amount(kind, limit)}`;
  const left = free > 0 ? `has only ${amount(kind, free)} left` : "has nothing left";
  const needs = needed > 0 ? `it needs ${amount(kind, needed)}, and ` : "";
  return `This agent was not started: ${needs}${budget} ${left}; what is missing is spent, or kept for agents that run. Do the task yourself, or answer with what you have.`;
}
