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
