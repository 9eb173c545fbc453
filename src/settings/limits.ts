/** The whole numbers that a limit can be, both ends included. */
export interface LimitRange {
  readonly min: number;
  readonly max: number;
}

const DAY_MS = 86_400_000;
const WEEK_MINUTES = 10_080;

/** The default and the range of each limit. Settings outside of a range are refused, a program's limits are moved into it. */
export const limitRanges = {
  maxAgents: { usual: 32, min: 1, max: 1_024 },
  maxDepth: { usual: 2, min: 0, max: 16 },
  patienceMs: { usual: 60_000, min: 0, max: DAY_MS },
  limitPatienceMs: { usual: 600_000, min: 0, max: 400 * DAY_MS },
  idleMs: { usual: 120_000, min: 100, max: DAY_MS },
  backgroundMs: { usual: 60_000, min: 0, max: DAY_MS },
  stuckWarnMs: { usual: 10_000, min: 100, max: DAY_MS },
  stuckMs: { usual: 60_000, min: 1_000, max: DAY_MS },
  toolMs: { usual: 600_000, min: 1_000, max: DAY_MS },
  commandMs: { usual: 120_000, min: 1_000, max: DAY_MS },
  maxCommandMs: { usual: 600_000, min: 1_000, max: DAY_MS },
  mcpStartMs: { usual: 5_000, min: 0, max: 600_000 },
  graceMs: { usual: 2_000, min: 0, max: 60_000 },
  maxTokens: { usual: 16_000, min: 1, max: 1_000_000 },
  maxTurns: { usual: 100, min: 1, max: 100_000 },
  thinkingTokens: { usual: 0, min: 0, max: 1_000_000 },
  parallelCalls: { usual: 8, min: 1, max: 64 },
  maxChildren: { usual: 1_000, min: 1, max: 10_000 },
  maxAgentsPerSession: { usual: 1_000, min: 1, max: 100_000 },
  sameFailures: { usual: 3, min: 0, max: 1_000 },
  agentMinutes: { usual: 0, min: 0, max: WEEK_MINUTES },
  sessionMinutes: { usual: 0, min: 0, max: WEEK_MINUTES },
  /** Of the command line alone. */
  backgroundMinutes: { usual: 0, min: 0, max: WEEK_MINUTES },
} as const satisfies Readonly<Record<string, LimitRange & { readonly usual: number }>>;

const { backgroundMinutes: _, ...ranges } = limitRanges;

/** Limits of a session: each is the setting `troupe.NAME`, whose meaning, default and range [settings](settings.md) has. */
export type Limits = { readonly [Name in keyof typeof ranges]: number };

/** Values out of range are brought into it, what is not a number becomes the default: a limit must never switch itself off. */
export function limitsOf(wanted: Partial<Limits> = {}): Limits {
  const names = Object.keys(ranges) as (keyof Limits)[];
  const entries = names.map((name) => [name, wholeWithin(wanted[name], ranges[name], ranges[name].usual)]);
  // One entry for each name.
  return Object.fromEntries(entries) as Limits;
}

/** Returns how long commands in the foreground may take, or undefined if that is as usual. */
export function commandLimitsOf({
  commandMs: usual,
  maxCommandMs,
}: Pick<Limits, "commandMs" | "maxCommandMs">):
  | { readonly usual: number; readonly most: number }
  | undefined {
  const { commandMs, maxCommandMs: most } = limitRanges;
  if (usual === commandMs.usual && maxCommandMs === most.usual) return undefined;
  return { usual, most: Math.max(usual, maxCommandMs) };
}

/** Turns of an agent: its definition's where that is stricter than the session's. */
export function turnsWithin({ maxTurns }: Limits, own: number | undefined): number {
  return wholeWithin(own, { ...limitRanges.maxTurns, max: maxTurns }, maxTurns);
}

function wholeWithin(value: number | undefined, { min, max }: LimitRange, otherwise: number): number {
  if (value === undefined || Number.isNaN(value)) return otherwise;
  return Math.min(max, Math.max(min, Math.trunc(value)));
}
