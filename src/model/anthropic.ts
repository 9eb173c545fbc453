import { hash } from "node:crypto";
import { type Clock, pause } from "../lib/clock.ts";
import { fieldsOf, parseJson, valueAt } from "../lib/json.ts";
import { DEFAULT_BASE_URL } from "./base-url.ts";
import { messageBodies } from "./body-bytes.ts";
import type { CountTokens, ModelClient } from "./client.ts";
import { type ApiServer, type HttpModelOptions, httpModel } from "./http-model.ts";
import { type Post, readBody } from "./http-post.ts";
import { countBodyOf } from "./messages-body.ts";
import type { ReplyTranslator } from "./reply-stream.ts";

export interface AnthropicOptions extends HttpModelOptions {
  readonly apiKey?: string;
  /** Sent as a bearer token instead of a key, as gateways want it. */
  readonly authToken?: string;
  /** Sent with every request, by names in lower case; these replace Troupe's own ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** False: no request marks what the server should cache (default true). */
  readonly promptCaching?: boolean;
}

/** Returns a client for any server of the Anthropic Messages API. */
export function anthropicModel(options: AnthropicOptions = {}): ModelClient {
  return httpModel(
    {
      kind: "anthropic",
      path: "/v1/messages",
      headers: headersOf(options),
      // A credential in a header may follow a scheme, such as `Bearer`.
      secrets: [
        ...[options.apiKey ?? [], options.authToken ?? []].flat(),
        ...Object.values(options.headers ?? {}).flatMap((value) => value.split(/\s+/)),
      ],
      ...messageBodies(options.promptCaching, options.headers?.["anthropic-beta"]),
      translate: messagesTranslator,
      extend: countedBy,
    },
    options,
  );
}

function countedBy({ post, clock, resolve }: ApiServer): Partial<ModelClient> {
  const counted = tokenCounter((body, signal) => sendCount(post, body, signal), clock);
  return {
    countTokens: (request, signal) => counted({ ...request, model: resolve(request.model) }, signal),
  };
}

/** Returns only the status if the response is not a count. */
async function sendCount(
  post: Post,
  body: object,
  signal: AbortSignal,
): Promise<{ status: number; json: unknown }> {
  const answer = await post("/v1/messages/count_tokens", [JSON.stringify(body)], signal);
  return { status: answer.status, json: parseJson(await readBody(answer)) };
}

/**
 * Each credential in its own header, and none that was not set: gateways refuse what they do not know. Anthropic's own API takes a
 * key as a bearer token, like its SDK; a server that is not its own expects it where it has always been.
 */
function headersOf({
  apiKey,
  authToken,
  baseURL = DEFAULT_BASE_URL,
  headers,
}: AnthropicOptions): Record<string, string> {
  const isOwn = baseURL === DEFAULT_BASE_URL;
  const token = isOwn ? (apiKey ?? authToken) : authToken;
  return {
    "anthropic-version": "2023-06-01",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(apiKey === undefined || isOwn ? {} : { "x-api-key": apiKey }),
    ...headers,
  };
}

/** The Messages API needs no translation, except of a message that came whole. */
function messagesTranslator(): ReplyTranslator {
  return {
    event: (json) => [json],
    whole: eventsOfMessage,
    end: () => [],
  };
}

function eventsOfMessage(json: unknown): unknown[] {
  const message = fieldsOf(json);
  const { content, stop_reason, usage } = message;
  if (!Array.isArray(content)) return [];
  return [
    { type: "message_start", message },
    ...content.flatMap((content_block: unknown, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason }, usage },
    { type: "message_stop" },
  ];
}

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
