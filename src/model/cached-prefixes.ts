import { hash } from "node:crypto";
import type { ModelRequest } from "./client.ts";

/** Milliseconds for which a server keeps the start of a prompt after its last use. */
const KEPT_MS = 300_000;
/** Milliseconds that a request waits for another one, at most. */
const WAIT_MS = 5_000;
/** A server keeps nothing shorter: 1,024 tokens, roughly. */
const LEAST_CHARS = 4_096;

/** Returns what tells the cached starts of requests apart, or null for one that is not worth a wait. */
export function prefixReader(): (request: ModelRequest) => string | null {
  const known = new WeakMap<ModelRequest["tools"], { system: ModelRequest["system"]; key: string | null }>();
  return ({ model, system, tools, webSearch }) => {
    // Nothing is marked without a system prompt, and a search has tools of its own.
    if (system.length === 0 || webSearch) return null;
    const before = known.get(tools);
    if (before?.system === system) return before.key && `${model} ${before.key}`;
    const text = JSON.stringify([tools, system]);
    const key = text.length < LEAST_CHARS ? null : hash("sha256", text, "base64");
    known.set(tools, { system, key });
    return key && `${model} ${key}`;
  };
}

interface Prefix {
  /** Requests that were sent while nothing was kept, and whose reply has not begun. */
  filling: number;
  warmUntil: number;
}

/** Lets the first of several requests that share a prefix go alone, so that the others read it from the server's cache. */
export class CachedPrefixes {
  readonly #known = new Map<string, Prefix>();

  /** Returns when a request that waits since `since` may start: immediately, unless another request is filling the cache. */
  opensAt(prefix: string | null, since: number, now: number): number {
    const known = prefix === null ? undefined : this.#known.get(prefix);
    if (known === undefined || known.filling === 0 || now < known.warmUntil) return Number.NEGATIVE_INFINITY;
    return since + WAIT_MS;
  }

  start(prefix: string | null, now: number) {
    for (const [key, { filling, warmUntil }] of this.#known)
      if (filling === 0 && warmUntil <= now) this.#known.delete(key);
    const known = this.#known.get(prefix ?? "") ?? { filling: 0, warmUntil: now };
    if (prefix !== null) this.#known.set(prefix, known);
    let isFilling = known.warmUntil <= now;
    if (isFilling) known.filling += 1;
    const end = () => {
      if (isFilling) known.filling -= 1;
      isFilling = false;
    };
    return {
      /** Its reply begins: from now on others can read what the server keeps. */
      begin(at: number): void {
        known.warmUntil = at + KEPT_MS;
        end();
      },
      /** It is over, whether or not its reply began. */
      end,
    };
  }
}
