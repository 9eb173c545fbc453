import { type Clock, systemClock } from "../mailbox/clock.ts";
import { type Aliases, resolveModel } from "./aliases.ts";
import { checkBaseURL, DEFAULT_BASE_URL } from "./base-url.ts";
import type {
  ModelClient,
  ModelFailure,
  ModelOutcome,
  ModelRequest,
  OnModelEvent,
  OnServerAnswer,
} from "./client.ts";
import { connectionFailure } from "./connection-failure.ts";
import {
  cancelled,
  endlessFailure,
  protocolFailure,
  type ServerError,
  serverFailure,
  stalledFailure,
  type Where,
} from "./failures.ts";
import {
  type HttpAnswer,
  type Post,
  type PosterOptions,
  poster,
  proxyVariable,
  readBody,
} from "./http-post.ts";
import { type IdleWatch, idleWatch } from "./idle-watch.ts";
import { ReplyAssembler } from "./reply.ts";
import { readReply, Unreadable } from "./reply-stream.ts";
import { resetMs, retryAfterMs } from "./retry-after.ts";
import { bodyEncoder, type EncodeBody } from "./sent-body.ts";
import { tokenCounter } from "./token-counter.ts";

export interface AnthropicOptions {
  readonly apiKey?: string;
  /** Sent as a bearer token instead of a key, as gateways want it. */
  readonly authToken?: string;
  /** Any server that speaks the Messages API. */
  readonly baseURL?: string;
  readonly aliases?: Aliases;
  /** Milliseconds without a model event before a request is given up (default 300,000). */
  readonly idleMs?: number;
  /** Limit of one reply in milliseconds, however lively its stream is (default 3,600,000; fault 15). */
  readonly totalMs?: number;
  readonly clock?: Clock;
  /** Where proxies are named (default: the process's environment). */
  readonly env?: PosterOptions["env"];
}

/** Milliseconds of silence after which the user sees it (fault 15). */
const QUIET_MS = 20_000;

/** Returns a client for any server of the Anthropic Messages API; one attempt each, the governor retries. */
export function anthropicModel(options: AnthropicOptions = {}): ModelClient {
  const { idleMs = 300_000, totalMs = 3_600_000, clock = systemClock, aliases = {} } = options;
  const base = checkBaseURL(options.baseURL ?? DEFAULT_BASE_URL);
  const name = "anthropic";
  if (!base.ok) return { name, ask: async () => failed({ kind: "invalid_request", message: base.message }) };

  const { env = process.env } = options;
  const post = poster({ baseURL: base.url, headers: headersOf(options, base.url), clock, env });
  const counted = tokenCounter((body, signal) => sendCount(post, body, signal), clock);
  const proxy = proxyVariable(new URL(base.url), env);
  const encode = bodyEncoder();
  const secrets = [options.apiKey, options.authToken].filter((secret) => secret !== undefined);
  return {
    name,
    countTokens: (request, signal) =>
      counted({ ...request, model: resolveModel(request.model, aliases) }, signal),
    async ask(request, on, signal, onAnswer = () => {}) {
      if (signal.aborted) return cancelled;
      const model = resolveModel(request.model, aliases);
      const where: Where = { host: base.host, model, proxy, secrets };
      return new Attempt(post, encode, where, { idleMs, totalMs, clock }).run(request, on, signal, onAnswer);
    },
  };
}

/** Returns only the status if the response is not a count. */
async function sendCount(
  post: Post,
  body: object,
  signal: AbortSignal,
): Promise<{ status: number; json: unknown }> {
  const answer = await post("/v1/messages/count_tokens", [JSON.stringify(body)], signal);
  return { status: answer.status, json: parsed(await readBody(answer)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A local server needs no credentials. Servers and gateways of the older convention expect a key in its own header. */
function headersOf({ apiKey, authToken }: AnthropicOptions, baseURL: string): Record<string, string> {
  const secret = apiKey ?? authToken;
  return {
    accept: "application/json",
    "anthropic-version": "2023-06-01",
    "user-agent": "troupe",
    ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    ...(apiKey !== undefined && baseURL !== DEFAULT_BASE_URL ? { "x-api-key": apiKey } : {}),
  };
}

type Limits = Required<Pick<AnthropicOptions, "idleMs" | "totalMs" | "clock">>;

/** One request and its response. */
class Attempt {
  private readonly post: Post;
  private readonly encode: EncodeBody;
  private readonly where: Where;
  private readonly limits: Limits;
  private readonly clock: Clock;
  private readonly abort = new AbortController();
  private endless = false;

  constructor(post: Post, encode: EncodeBody, where: Where, limits: Limits) {
    this.post = post;
    this.encode = encode;
    this.where = where;
    this.limits = limits;
    this.clock = limits.clock;
  }

  async run(
    request: ModelRequest,
    on: OnModelEvent,
    signal: AbortSignal,
    onAnswer: OnServerAnswer,
  ): Promise<ModelOutcome> {
    const cancel = () => this.abort.abort();
    signal.addEventListener("abort", cancel, { once: true });
    const watch = this.watch(on);
    const withdraw = this.clock.after(this.limits.totalMs, () => {
      this.endless = true;
      this.abort.abort();
    });
    const reply = new ReplyAssembler(on);
    const sentAt = this.clock.now();
    let failure: ModelFailure | undefined;
    try {
      await this.exchange(request, reply, watch, onAnswer);
    } catch (error) {
      failure = this.classify(error, watch);
    } finally {
      watch.stop();
      withdraw();
      signal.removeEventListener("abort", cancel);
    }
    if (signal.aborted) return withUsage(cancelled, reply);
    return this.outcome(reply, failure, this.clock.now() - sentAt);
  }

  private watch(on: OnModelEvent): IdleWatch {
    const reason = `${this.where.host} has sent nothing for ${QUIET_MS / 1000} s`;
    return idleWatch(this.clock, {
      idleMs: this.limits.idleMs,
      onIdle: () => this.abort.abort(),
      quietMs: QUIET_MS,
      onQuiet: (ms) => on({ type: "waiting", reason, ms, attempt: null }),
    });
  }

  private async exchange(
    request: ModelRequest,
    reply: ReplyAssembler,
    watch: IdleWatch,
    onAnswer: OnServerAnswer,
  ): Promise<void> {
    const body = this.encode(request, this.where.model);
    const answer = await this.post("/v1/messages", body, this.abort.signal);
    const isAccepted = answer.status >= 200 && answer.status < 300;
    onAnswer(isAccepted);
    if (!isAccepted) throw new Refused(await this.refusal(answer));
    await readReply(answer, reply, watch, this.clock);
  }

  /** A reply with a stop reason is complete, whatever broke after it (fault 14). */
  private outcome(reply: ReplyAssembler, failure: ModelFailure | undefined, apiMs: number): ModelOutcome {
    const finished = reply.finish();
    if (finished.type === "finished") {
      const { content, stopReason, usage, model } = finished;
      return {
        type: "reply",
        reply: { content, stopReason, usage, model: model || this.where.model, apiMs },
      };
    }
    const reason = failure ?? protocolFailure(finished.problem, this.where);
    const said = reply.partialText === "" ? {} : { partialText: reply.partialText };
    return withUsage(failed({ ...reason, ...said }), reply);
  }

  private classify(error: unknown, watch: IdleWatch): ModelFailure {
    const late = watch.lateMs();
    if (late !== null) return stalledFailure(this.limits.idleMs, late, this.where);
    if (this.endless) return endlessFailure(this.limits.totalMs, this.where);
    if (error instanceof Unreadable) {
      if (error.problem.type === "error")
        return serverFailure({ type: error.problem.errorType, message: error.problem.message }, this.where);
      const failure = protocolFailure(error.problem.problem, this.where);
      return error.final ? { ...failure, final: true } : failure;
    }
    if (error instanceof Refused) return serverFailure(error.answer, this.where);
    return connectionFailure(error, this.where);
  }

  private async refusal(answer: HttpAnswer): Promise<ServerError> {
    const { status, header } = answer;
    // The status counts, also if the rest does not come.
    const body = parsed(await readBody(answer).catch(() => ""));
    const { type, message, details } = fieldsOf(fieldsOf(body)["error"]);
    const code = fieldsOf(details)["error_code"];
    const location = header("location");
    const said = typeof message === "string" ? message : "";
    const now = Date.parse(this.clock.date());
    const retryAfter = retryAfterMs(header, now) ?? (status === 429 ? resetMs(header, said, now) : undefined);
    return {
      status,
      ...(typeof type === "string" ? { type } : {}),
      ...(typeof code === "string" ? { code } : {}),
      ...(said === "" ? {} : { message: said }),
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
      ...(header("x-should-retry") === "false" ? { shouldRetry: false } : {}),
      ...(location ? { location } : {}),
    };
  }
}

/** The server itself responded, with a status other than success. */
class Refused extends Error {
  readonly answer: ServerError;
  constructor(answer: ServerError) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A started reply costs money, even if it breaks off or is cancelled. */
function withUsage(outcome: ModelOutcome, { partialUsage }: ReplyAssembler): ModelOutcome {
  if (partialUsage === null || outcome.type === "reply") return outcome;
  return { ...outcome, failure: { ...outcome.failure, usage: partialUsage } };
}

function failed(failure: ModelFailure): ModelOutcome {
  return { type: "failure", failure };
}
