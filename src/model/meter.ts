import { type Clock, pause, untilAborted } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type {
  CountTokens,
  GatewayNotice,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  Reserve,
} from "./client.ts";
import { cancelled, failedOutcome } from "./failures.ts";

/** Margin on the server's own count: counts are not exact either. */
const COUNT_SLACK = 1.02;
/** Milliseconds for a client to react to a cancellation; after that it is settled without it. */
const NOTICE_MS = 5_000;
/** The number of conversations whose last size is kept. */
const KEPT = 1_000;

/** The server's last count for a conversation, and the sizes it was for. */
interface Known extends RequestSizes {
  readonly model: string;
  readonly tokens: number;
}

export type Metered =
  | {
      readonly type: "granted";
      /** The request to send: its reply limit is lower if the budget does not cover more. */
      readonly request: ModelRequest;
      /** Receives the client's own outcome, however the request ended before. */
      settle(outcome: Promise<ModelOutcome>, signal: AbortSignal): void;
    }
  | { readonly type: "ended"; readonly outcome: ModelOutcome };

export interface MeterParts {
  readonly clock: Clock;
  readonly onNotice: (notice: GatewayNotice) => void;
  readonly countTokens?: CountTokens | undefined;
  /** Returns null while there is no budget. */
  readonly reserve: () => Reserve | null;
}

/**
 * Reserves the maximum cost of each attempt before it is sent, and reports the real cost. One for all requests of a
 * gateway.
 */
export class Meter {
  readonly #parts: MeterParts;
  readonly #known = new Map<ActorId, Known>();
  readonly #measure = requestMeasure();

  constructor(parts: MeterParts) {
    this.#parts = parts;
  }

  /** Waits while other requests hold money that they may release. Never rejects. */
  async take(request: ModelRequest, signal: AbortSignal): Promise<Metered> {
    const reserve = this.#parts.reserve();
    if (reserve === null) return this.#granted(request, null);
    const { actor, model, maxTokens, withoutTools = false } = request;
    const wish = { actor, model, maxTokens, last: withoutTools };
    const bound = this.#bound(request);
    let answer = await reserve({ ...wish, ...bound }, signal);
    if (answer.type === "count") {
      const promptTokens = await this.#counted(request, bound.promptTokens, signal);
      answer = await reserve({ ...wish, promptTokens, exact: true }, signal);
    }
    if (signal.aborted) {
      if (answer.type === "granted") this.#parts.onNotice({ type: "unused", reservation: answer.id });
      return { type: "ended", outcome: cancelled };
    }
    if (answer.type === "granted")
      return this.#granted({ ...request, maxTokens: answer.maxTokens }, answer.id);
    const message = answer.type === "refused" ? answer.reason : "The budget could not be asked.";
    return { type: "ended", outcome: failedOutcome({ kind: "over_budget", message }) };
  }

  #granted(request: ModelRequest, reservation: number | null): Metered {
    return {
      type: "granted",
      request,
      settle: (outcome, signal) => {
        const over = new AbortController();
        const late = untilAborted(signal, over.signal)
          .then(() => pause(this.#parts.clock, NOTICE_MS, over.signal))
          .then(() => cancelled);
        void Promise.race([outcome, late]).then((end) => {
          over.abort();
          this.#settle(request, reservation, end);
        });
      },
    };
  }

  #settle(request: ModelRequest, reservation: number | null, outcome: ModelOutcome): void {
    const { actor, model } = request;
    const { onNotice } = this.#parts;
    const of = reservation === null ? {} : { reservation };
    if (outcome.type === "reply") {
      const { reply } = outcome;
      this.#learn(request, reply);
      const odd = reply.oddUsage ? { odd: true as const } : {};
      const { usage, apiMs } = reply;
      onNotice({ type: "usage", actor, model: reply.model, asked: model, usage, apiMs, ...odd, ...of });
      return;
    }
    const { usage } = outcome.failure;
    if (usage) onNotice({ type: "usage", actor, model, asked: model, usage, apiMs: 0, broken: true, ...of });
    else if (reservation !== null) onNotice({ type: "unused", reservation });
  }

  /** Bounds the prompt by its last count plus the bytes added since; without a count, by all bytes. */
  #bound(request: ModelRequest): { readonly promptTokens: number; readonly exact: boolean } {
    const known = this.#known.get(request.actor);
    const { head, sizes } = this.#measure(request);
    const all = promptBound({ head, sizes });
    const goesOn =
      known !== undefined &&
      known.model === request.model &&
      known.head === head &&
      known.sizes.every((size, at) => size === sizes[at]);
    if (!goesOn) return { promptTokens: all, exact: false };
    const added = sizes.slice(known.sizes.length).reduce((sum, size) => sum + size, 0);
    return { promptTokens: Math.min(all, known.tokens + added), exact: added < known.tokens };
  }

  async #counted(request: ModelRequest, most: number, signal: AbortSignal): Promise<number> {
    const count = await Promise.resolve()
      .then(() => this.#parts.countTokens?.(request, signal) ?? null)
      .catch(() => null);
    const sound = typeof count === "number" && count > 0 ? Math.ceil(count * COUNT_SLACK) : most;
    return Math.min(most, sound);
  }

  #learn(request: ModelRequest, { usage, oddUsage }: ModelReply): void {
    if (oddUsage) return;
    const tokens = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
    this.#known.delete(request.actor);
    this.#known.set(request.actor, { model: request.model, ...this.#measure(request), tokens });
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** What a server adds to a request: its text about tools, and the frames of messages and blocks. */
const ADDED = 1_000;
const PER_NODE = 4;
/** The most that one image counts for, however large its bytes are. */
const IMAGE_TOKENS = 5_000;

/** Returns the most tokens that the prompt of a request can be: no token is shorter than a byte. */
export function promptBound({ head, sizes }: RequestSizes): number {
  return ADDED + sizes.reduce((sum, size) => sum + size, head);
}

/** Bounds of the parts of a request, in tokens. */
export interface RequestSizes {
  /** Of its system prompt and tools. */
  readonly head: number;
  /** Of each message. */
  readonly sizes: readonly number[];
}

/** Returns what measures requests; each part of a conversation is read once for that. */
export function requestMeasure(): (request: ModelRequest) => RequestSizes {
  const known = new WeakMap<object, number>();
  const measure = (part: object): number => {
    const size = known.get(part) ?? boundOf(part);
    known.set(part, size);
    return size;
  };
  return ({ system, tools, messages }) => ({
    head: measure(system) + measure(tools),
    sizes: messages.map(measure),
  });
}

/** Of all strings in it, and of the keys between them. */
function boundOf(value: unknown): number {
  if (typeof value === "string") return PER_NODE + Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return PER_NODE;
  const isImage = "type" in value && value.type === "image";
  const entries = Object.entries(value);
  const sum = entries.reduce((all, [key, inner]) => all + key.length + boundOf(inner), PER_NODE);
  return isImage ? Math.min(sum, IMAGE_TOKENS) : sum;
}
