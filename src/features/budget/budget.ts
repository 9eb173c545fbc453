import type { AgentBudget } from "../../settings/read-settings.ts";

/** What an agent and everything below it may use, together; what is absent has no limit of its own. */
export interface Budget {
  /** All that models see and write for it, what comes from a cache too. */
  readonly tokens?: number;
  readonly usd?: number;
  /** Replies. */
  readonly turns?: number;
  /** Milliseconds from its start. Time passes for all at once: it is never shared out, and nothing of it returns. */
  readonly ms?: number;
}

/** What can be shared out. */
export type Kind = "usd" | "tokens" | "turns";

/** In the order in which limits are named where several are reached. */
export const KINDS: readonly Kind[] = ["usd", "tokens", "turns"];

/** Whole numbers, so that sums are exact: money is in billionths of a dollar. */
export type Amounts = Readonly<Record<Kind, number>>;

export const nothing: Amounts = { usd: 0, tokens: 0, turns: 0 };

const NANOS = 1_000_000_000;

export function nanosOf(usd: number): number {
  return usd === Number.POSITIVE_INFINITY ? usd : Math.round(usd * NANOS);
}

export function usdOf(nanos: number): number {
  return nanos / NANOS;
}

/** In whole numbers; undefined: no limit. One that is no number is 0: a limit must never switch itself off. */
export function limitIn(budget: Budget, kind: Kind): number | undefined {
  const limit = budget[kind];
  if (limit === undefined || limit === Number.POSITIVE_INFINITY) return undefined;
  const whole = kind === "usd" ? nanosOf(limit) : Math.floor(limit);
  return whole > 0 ? whole : 0;
}

/** The smaller of each limit: whoever sets one can only bound what another one allows. */
export function tightest(...budgets: readonly Budget[]): Budget {
  const smallest = (name: keyof Budget) => {
    const limits = budgets.flatMap((budget) => budget[name] ?? []);
    return limits.length === 0 ? {} : { [name]: Math.min(...limits) };
  };
  return { ...smallest("tokens"), ...smallest("usd"), ...smallest("turns"), ...smallest("ms") };
}

const MINUTE_MS = 60_000;

/** What settings give an agent of a type; `minutes` is what any agent has (`troupe.agentMinutes`), 0: no end. */
export function budgetOfType(names: readonly string[], budgets: readonly AgentBudget[], minutes = 0): Budget {
  const wanted = new Set(names.map(plain));
  const own = budgets.filter(({ type }) => wanted.has(plain(type)));
  return tightest(
    minutes > 0 ? { ms: minutes * MINUTE_MS } : {},
    ...own.map(({ type: _, minutes: most, ...rest }) => ({
      ...rest,
      ...(most === undefined ? {} : { ms: most * MINUTE_MS }),
    })),
  );
}

/** Types are matched whatever their case and separators, as everywhere. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || name;
}
