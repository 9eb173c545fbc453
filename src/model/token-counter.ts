import { hash } from "node:crypto";
import { type Clock, pause } from "../lib/clock.ts";
import { valueAt } from "../lib/json.ts";
import type { CountTokens } from "./client.ts";
import { countBodyOf } from "./messages-body.ts";

/** Sends a count's body; resolves to the status and the answer's body, rejects without an answer. */
export type SendCount = (body: object, signal: AbortSignal) => Promise<{ status: number; json: unknown }>;

/** Milliseconds for one count: the caller has an estimate, and does not wait for the network. */
export const COUNT_MS = 3_000;
/** After a refusal that passes, this long nothing is asked (milliseconds). */
const PAUSE_MS = 60_000;
/** More in parallel are not worth it: the estimate decides as well. */
const AT_ONCE = 4;
const KEPT = 64;
/** The server has no such thing. */
const NEVER: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Returns the tokens of a request by the server's own count, or null if it does not count now. Never rejects and is never tried
 * again; the same request is counted once.
 */
export function tokenCounter(send: SendCount, clock: Clock): CountTokens {
  const known = new Map<string, number>();
  let open = 0;
  let notBefore = Number.NEGATIVE_INFINITY;

  const ask = async (body: object, key: string, signal: AbortSignal): Promise<number | null> => {
    const { status, json } = await send(body, signal);
    if (NEVER.has(status)) notBefore = Number.POSITIVE_INFINITY;
    else if (status >= 400) notBefore = Math.max(notBefore, clock.now() + PAUSE_MS);
    const tokens = status < 300 ? tokensIn(json) : null;
    if (tokens === null) return null;
    known.set(key, tokens);
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    return tokens;
  };

  return async (request, signal) => {
    if (signal.aborted || open >= AT_ONCE || clock.now() < notBefore) return null;
    const body = countBodyOf(request, request.model);
    const key = hash("sha256", JSON.stringify(body), "base64");
    const before = known.get(key);
    if (before !== undefined) return before;
    const ended = new AbortController();
    open += 1;
    try {
      const asked = ask(body, key, AbortSignal.any([signal, ended.signal])).catch(() => {
        // A server that cannot be reached is not asked again for each agent.
        if (!signal.aborted) notBefore = Math.max(notBefore, clock.now() + PAUSE_MS);
        return null;
      });
      return await Promise.race([asked, pause(clock, COUNT_MS, ended.signal).then(() => null)]);
    } finally {
      open -= 1;
      ended.abort();
    }
  };
}

function tokensIn(json: unknown): number | null {
  const tokens = valueAt(json, ["input_tokens"]);
  return typeof tokens === "number" && Number.isFinite(tokens) && tokens > 0 ? tokens : null;
}
