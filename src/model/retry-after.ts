export type Header = (name: string) => string | null | undefined;

/** The `date` of an answer has whole seconds. */
const COARSE_MS = 2_000;

/**
 * Milliseconds that a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP
 * date. Undefined if it is absent or makes no sense. `wallNow` is in milliseconds since 1970; the server's own clock counts
 * if ours was set wrong (fault 28).
 */
export function retryAfterMs(header: Header, wallNow: number): number | undefined {
  const ms = number(header("retry-after-ms"));
  if (ms !== undefined) return ms;
  const text = header("retry-after");
  const seconds = number(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(text ?? "");
  const now = Date.parse(header("date") ?? "");
  const isOurs = Number.isNaN(now) || Math.abs(now - wallNow) <= COARSE_MS;
  return Number.isNaN(date) ? undefined : Math.max(0, date - (isOurs ? wallNow : now));
}

/** Limits of the API, each with what remains of it and when it is whole again. */
const LIMITS = ["requests", "tokens", "input-tokens", "output-tokens"];

/**
 * Milliseconds until a limit that is reached is reset, by the headers `anthropic-ratelimit-*` or by the text of the error, which
 * ends with a time in seconds since 1970. Undefined if neither names a time to come.
 */
export function resetMs(header: Header, message: string, wallNow: number): number | undefined {
  const prefix = "anthropic-ratelimit-";
  const reached = LIMITS.filter((name) => number(header(`${prefix}${name}-remaining`)) === 0);
  const dates = reached.map((name) => Date.parse(header(`${prefix}${name}-reset`) ?? ""));
  const isRejected = header(`${prefix}unified-status`) === "rejected";
  const [, said] = /limit reached\|(\d{10})\b/i.exec(message) ?? [];
  const seconds = [isRejected ? number(header(`${prefix}unified-reset`)) : undefined, number(said)];
  const times = [...dates, ...seconds.map((at) => (at === undefined ? Number.NaN : at * 1000))];
  const last = Math.max(...times.filter((at) => at > wallNow));
  return Number.isFinite(last) ? last - wallNow : undefined;
}

function number(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
