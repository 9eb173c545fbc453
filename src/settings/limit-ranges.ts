/** The whole numbers that a limit can be, both ends included. */
export interface LimitRange {
  readonly min: number;
  readonly max: number;
}

const DAY_MS = 86_400_000;
const WEEK_MINUTES = 10_080;

/** Milliseconds that a model may be paused, if nothing else is said. */
export const USUAL_LIMIT_PATIENCE_MS = 600_000;

/** The range of each limit: settings outside are refused, a program's are moved into it. */
export const limitRanges = {
  maxAgents: { min: 1, max: 1_024 },
  maxDepth: { min: 0, max: 16 },
  patienceMs: { min: 0, max: DAY_MS },
  limitPatienceMs: { min: 0, max: 400 * DAY_MS },
  idleMs: { min: 100, max: DAY_MS },
  backgroundMs: { min: 0, max: DAY_MS },
  stuckWarnMs: { min: 100, max: DAY_MS },
  stuckMs: { min: 1_000, max: DAY_MS },
  toolMs: { min: 1_000, max: DAY_MS },
  mcpStartMs: { min: 0, max: 600_000 },
  graceMs: { min: 0, max: 60_000 },
  maxTokens: { min: 1, max: 1_000_000 },
  maxTurns: { min: 1, max: 100_000 },
  thinkingTokens: { min: 0, max: 1_000_000 },
  parallelCalls: { min: 1, max: 64 },
  maxChildren: { min: 1, max: 10_000 },
  maxAgentsPerSession: { min: 1, max: 100_000 },
  sameFailures: { min: 0, max: 1_000 },
  agentMinutes: { min: 0, max: WEEK_MINUTES },
  sessionMinutes: { min: 0, max: WEEK_MINUTES },
  backgroundMinutes: { min: 0, max: WEEK_MINUTES },
} as const satisfies Readonly<Record<string, LimitRange>>;
