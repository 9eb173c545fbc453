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

/** Limits with their defaults; each can be set in settings under `troupe`. */
export interface Limits {
  /** Agents running at the same time; the rest wait in order (default 32, 1 to 1,024). */
  readonly maxAgents: number;
  /** How deep agents may spawn agents; the main conversation is 0 (default 2). */
  readonly maxDepth: number;
  /** Milliseconds a request may be retried in all (default 60,000). */
  readonly patienceMs: number;
  /**
   * Milliseconds that a model may be paused in all, for a limit or because its server is out of reach, before its
   * requests fail (default 600,000). What waits for it is `paused`, and costs nothing.
   */
  readonly limitPatienceMs: number;
  /** Milliseconds without a model event (pings do not count) before a stream is given up (default 120,000). */
  readonly idleMs: number;
  /**
   * Milliseconds an agent that has answered is kept for its commands in the background: their notices make it
   * continue; after that they are stopped and it ends (default 60,000).
   */
  readonly backgroundMs: number;
  /** Milliseconds that the thread of a call may stand still before the user is warned (default 10,000). */
  readonly stuckWarnMs: number;
  /** The same before it is ended (default 60,000). */
  readonly stuckMs: number;
  /** Milliseconds a call in a thread may take; commands have their own time (default 600,000). */
  readonly toolMs: number;
  /** Milliseconds that a command in the foreground may take if its call sets no timeout (default 120,000). */
  readonly commandMs: number;
  /** The most that a call can ask for, at least `commandMs` (default 600,000). */
  readonly maxCommandMs: number;
  /** Milliseconds that the first request waits for MCP servers that are still starting (default 5,000). */
  readonly mcpStartMs: number;
  /** Milliseconds an agent has to end by itself once it is cancelled (default 2,000). */
  readonly graceMs: number;
  /** Tokens of one reply, at most the model's own limit (default: that, in a sixth of its window; 16,000 if it is not known). */
  readonly maxTokens: number;
  /** Turns of the main conversation per prompt, and of agents whose definition sets none (default 100). */
  readonly maxTurns: number;
  /** Tokens to think with; 0 is off (default 0). */
  readonly thinkingTokens: number;
  /** Calls of one reply that an agent runs at the same time, such as Read and Grep (default 8). */
  readonly parallelCalls: number;
  /** Agents that one agent may start (default 1,000). */
  readonly maxChildren: number;
  /** Agents of the whole session, ended or not (default 1,000). */
  readonly maxAgentsPerSession: number;
  /** Agents of one fan-out that fail in a row for the same reason before no more are started; 0 is never (default 3). */
  readonly sameFailures: number;
  /** Minutes after which an agent is ended; it is asked for its answer before (default 0: none). */
  readonly agentMinutes: number;
  /** The same for the whole session (default 0: none). */
  readonly sessionMinutes: number;
}

const { backgroundMinutes: _, ...ranges } = limitRanges;

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
