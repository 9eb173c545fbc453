/** One limit as a server tells it: a bucket of `limit`, of which `remaining` are left, full again after `resetMs`. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds; null where the server does not say, or too coarsely to count with. */
  readonly resetMs: number | null;
}

export const LIMIT_KINDS = ["requests", "tokens", "input-tokens", "output-tokens"] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** Plain data; a kind that a server does not limit, or does not tell, is absent. */
export type RateLimits = Readonly<Partial<Record<LimitKind, RateLimit>>>;

export type Header = (name: string) => string | null | undefined;

/** A moment in whole seconds says nothing of a bucket that is full again in less than this. */
const COARSE_MS = 2_000;

/**
 * The `anthropic-ratelimit-<kind>-limit`, `-remaining` and `-reset` headers. `reset` is a moment (RFC 3339)
 * of the server's clock. `wallNow` is in milliseconds since 1970, see `serverNow`.
 */
export function rateLimitsOf(header: Header, wallNow: number): RateLimits {
  const limits: Partial<Record<LimitKind, RateLimit>> = {};
  for (const kind of LIMIT_KINDS) {
    const limit = count(header(`anthropic-ratelimit-${kind}-limit`));
    const remaining = count(header(`anthropic-ratelimit-${kind}-remaining`));
    if (limit === undefined || remaining === undefined) continue;
    const resetMs = untilReset(header(`anthropic-ratelimit-${kind}-reset`) ?? "", wallNow);
    limits[kind] = { limit, remaining: Math.min(limit, remaining), resetMs };
  }
  return limits;
}

/**
 * What the server's clock shows: moments in its headers are of that clock. Its `date` has whole seconds, so
 * ours is taken where the two agree; where ours was set wrong, or back by a day, its own (fault 28).
 */
export function serverNow(header: Header, wallNow: number): number {
  const date = Date.parse(header("date") ?? "");
  return Number.isNaN(date) || Math.abs(date - wallNow) <= COARSE_MS ? wallNow : date;
}

function untilReset(text: string, wallNow: number): number | null {
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) return null;
  const ms = Math.max(0, moment - wallNow);
  return ms < COARSE_MS && !/\.\d/.test(text) ? null : ms;
}

function count(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
