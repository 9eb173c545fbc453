import type { Limits } from "./options.ts";

/** The defaults; `docs` and `Limits` say what each means. */
export const defaultLimits: Limits = {
  maxAgents: 32,
  maxDepth: 2,
  patienceMs: 60_000,
  idleMs: 300_000,
  graceMs: 2_000,
  maxTokens: 16_000,
  maxTurns: 100,
  thinkingTokens: 0,
};

/** Values out of range are brought into it: a limit must never switch itself off. */
export function limitsOf(wanted: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...wanted };
  return { ...limits, maxAgents: Math.min(256, Math.max(1, Math.trunc(limits.maxAgents))) };
}
