import { type Clock, pause } from "../../src/lib/clock.ts";
import type { ModelClient, ModelFailure, ModelOutcome } from "../../src/model/client.ts";

export interface ServerLimits {
  /** A bucket of `burst` requests that fills at this rate. */
  readonly perSecond: number;
  readonly burst: number;
  /** Requests that may run at once. */
  readonly atOnce?: number;
  /** Whether it says how long to wait when it refuses. */
  readonly tellsWait: boolean;
  /** Milliseconds to the head of an answer, and from there to the reply's end: about. */
  readonly headMs: number;
  readonly replyMs: number;
}

/** One request as the server saw it. */
export interface Seen {
  readonly at: number;
  readonly actor: string;
  readonly accepted: boolean;
  /** Requests that had been refused before and were on their way at this moment, this one included. */
  readonly retries: number;
}

/** A small generator of numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const LIMITED: ModelFailure = { kind: "rate_limit", message: "Too many requests." };

/** A bucket of permits, as the servers of the API are described to have. */
export class Bucket {
  readonly #clock: Pick<Clock, "now">;
  readonly #limits: Pick<ServerLimits, "perSecond" | "burst">;
  #level: number;
  #at: number;

  constructor(clock: Pick<Clock, "now">, limits: Pick<ServerLimits, "perSecond" | "burst">) {
    this.#clock = clock;
    this.#limits = limits;
    this.#level = limits.burst;
    this.#at = clock.now();
  }

  take(): boolean {
    const level = this.level;
    this.#level = level >= 1 ? level - 1 : level;
    this.#at = this.#clock.now();
    return level >= 1;
  }

  get level(): number {
    const filled = ((this.#clock.now() - this.#at) * this.#limits.perSecond) / 1000;
    return Math.min(this.#limits.burst, this.#level + filled);
  }
}

/** A server with limits, as a client of it would show it: on any clock, with no network between. */
export function limitedServer(clock: Clock, limits: ServerLimits, random: () => number) {
  const seen: Seen[] = [];
  const bucket = new Bucket(clock, limits);
  const refused = new Set<string>();
  let running = 0;
  let retries = 0;
  const about = (ms: number) => ms * (0.5 + random());

  const admits = (): boolean => running < (limits.atOnce ?? Number.POSITIVE_INFINITY) && bucket.take();
  const client: ModelClient = {
    name: "limited",
    async ask({ actor }, _on, signal, onAnswer = () => {}): Promise<ModelOutcome> {
      const retry = refused.has(actor);
      if (retry) retries += 1;
      const head = about(limits.headMs);
      await pause(clock, head / 2, signal);
      const accepted = admits();
      if (accepted) running += 1;
      seen.push({ at: clock.now(), actor, accepted, retries });
      await pause(clock, head / 2, signal);
      if (retry) retries -= 1;
      if (signal.aborted) return { type: "failure", failure: { kind: "cancelled", message: "" } };
      onAnswer(accepted);
      if (!accepted) {
        refused.add(actor);
        const retryAfterMs = limits.tellsWait ? 1000 : undefined;
        return {
          type: "failure",
          failure: { ...LIMITED, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
        };
      }
      refused.delete(actor);
      await pause(clock, about(limits.replyMs), signal);
      running -= 1;
      return replyOf("Hi.");
    },
  };
  return { client, seen };
}

function replyOf(text: string): ModelOutcome {
  const usage = {
    ...{ input_tokens: 100, output_tokens: 20 },
    ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
  const content = [{ type: "text" as const, text, citations: null }];
  return { type: "reply", reply: { content, stopReason: "end_turn", usage, model: "limited", apiMs: 0 } };
}
