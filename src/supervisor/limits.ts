import { STUCK_MS, STUCK_WARN_MS, TOOL_MS } from "../features/watch/judge.ts";
import { PARALLEL_CALLS } from "../mailbox/messages.ts";
import { outputLimitOf } from "../model/output-limits.ts";
import type { Limits } from "../session/options.ts";
import { type LimitRange, limitRanges } from "../settings/limit-ranges.ts";

/** The defaults; `docs` and `Limits` say what each means. */
export const defaultLimits: Limits = {
  maxAgents: 32,
  maxDepth: 2,
  patienceMs: 60_000,
  idleMs: 120_000,
  backgroundMs: 60_000,
  stuckWarnMs: STUCK_WARN_MS,
  stuckMs: STUCK_MS,
  toolMs: TOOL_MS,
  mcpStartMs: 5_000,
  graceMs: 2_000,
  maxTokens: 16_000,
  maxTurns: 100,
  thinkingTokens: 0,
  parallelCalls: PARALLEL_CALLS,
  maxChildren: 1_000,
  maxAgentsPerSession: 1_000,
  agentMinutes: 0,
  sessionMinutes: 0,
};

/** Values out of range are brought into it, what is no number is the default: a limit must never switch itself off. */
export function limitsOf(wanted: Partial<Limits> = {}): Limits {
  const limit = (name: keyof Limits) => wholeWithin(wanted[name], limitRanges[name], defaultLimits[name]);
  return {
    maxAgents: limit("maxAgents"),
    maxDepth: limit("maxDepth"),
    patienceMs: limit("patienceMs"),
    idleMs: limit("idleMs"),
    backgroundMs: limit("backgroundMs"),
    stuckWarnMs: limit("stuckWarnMs"),
    stuckMs: limit("stuckMs"),
    toolMs: limit("toolMs"),
    mcpStartMs: limit("mcpStartMs"),
    graceMs: limit("graceMs"),
    maxTokens: limit("maxTokens"),
    maxTurns: limit("maxTurns"),
    thinkingTokens: limit("thinkingTokens"),
    parallelCalls: limit("parallelCalls"),
    maxChildren: limit("maxChildren"),
    maxAgentsPerSession: limit("maxAgentsPerSession"),
    agentMinutes: limit("agentMinutes"),
    sessionMinutes: limit("sessionMinutes"),
  };
}

/** Turns of an agent: its definition's where that is stricter than the session's. */
export function turnsWithin({ maxTurns }: Limits, own: number | undefined): number {
  return wholeWithin(own, { ...limitRanges.maxTurns, max: maxTurns }, maxTurns);
}

/** A reply takes no more of a window that must hold the conversation too, unless it is asked for. */
const REPLY_SHARE = 1 / 6;

/** Tokens of one reply: what the user wants, or the model's own limit; never more than that. */
export function replyTokens(
  { maxTokens }: Limits,
  wanted: Partial<Limits> | undefined,
  model: { readonly id: string; readonly window: number },
): number {
  const own = outputLimitOf(model.id);
  if (own === null) return maxTokens;
  const isWanted = wanted?.maxTokens !== undefined && !Number.isNaN(wanted.maxTokens);
  return Math.min(own, isWanted ? maxTokens : Math.max(maxTokens, Math.floor(model.window * REPLY_SHARE)));
}

function wholeWithin(value: number | undefined, { min, max }: LimitRange, otherwise: number): number {
  if (value === undefined || Number.isNaN(value)) return otherwise;
  return Math.min(max, Math.max(min, Math.trunc(value)));
}
