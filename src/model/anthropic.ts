import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { APIConnectionError, APIError } from "@anthropic-ai/sdk/error";
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
import { type IdleWatch, idleWatch } from "./idle-watch.ts";
import { ReplyAssembler } from "./reply.ts";
import { readReply, Unreadable } from "./reply-stream.ts";
import { bodyOf } from "./request-body.ts";
import { type Header, retryAfterMs } from "./retry-after.ts";
import { sentBody } from "./sent-body.ts";
import { tokenCounter } from "./token-counter.ts";

export interface AnthropicOptions {
  readonly apiKey?: string;
  /** Sent as a bearer token instead of a key, as gateways want it. */
  readonly authToken?: string;
  /** Any server that speaks the Messages API. */
  readonly baseURL?: string;
  readonly aliases?: Aliases;
  /**
   * Milliseconds without a model event before a request is given up (default 300,000). A longer limit does not help
   * with a silent server: fetch itself gives up after 300,000.
   */
  readonly idleMs?: number;
  /** Limit of one reply in milliseconds, however lively its stream is (default 3,600,000; fault 15). */
  readonly totalMs?: number;
  readonly clock?: Clock;
}

/** The SDK's timer must never end a request before ours; setTimeout cannot wait longer than this. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** Milliseconds of silence after which the user sees it (fault 15). */
const QUIET_MS = 20_000;

/**
 * Only the SDK's base client, a fifth of it: its helpers, other resources, retries, tracing and search for credentials
 * in files are not needed.
 */
class Connection extends BaseAnthropic {
  protected override _shouldResolveDefaultCredentials(): boolean {
    return false;
  }
}

/** Returns a client for any server of the Anthropic Messages API; one attempt each, the governor retries. */
export function anthropicModel(options: AnthropicOptions = {}): ModelClient {
  const { idleMs = 300_000, totalMs = 3_600_000, clock = systemClock, aliases = {} } = options;
  const base = checkBaseURL(options.baseURL ?? DEFAULT_BASE_URL);
  const name = "anthropic";
  if (!base.ok) return { name, ask: async () => failed({ kind: "invalid_request", message: base.message }) };

  const connection = connect(options, base.url);
  const counted = tokenCounter((body, signal) => sendCount(connection, body, signal), clock);
  const secrets = [options.apiKey, options.authToken].filter((secret) => secret !== undefined);
  return {
    name,
    countTokens: (request, signal) =>
      counted({ ...request, model: resolveModel(request.model, aliases) }, signal),
    async ask(request, on, signal, onAnswer = () => {}) {
      if (signal.aborted) return cancelled;
      const model = resolveModel(request.model, aliases);
      const where: Where = { host: base.host, model, secrets };
      return new Attempt(connection, where, { idleMs, totalMs, clock }).run(request, on, signal, onAnswer);
    },
  };
}

/** Returns only the status if the response is not a count. */
async function sendCount(
  connection: Connection,
  body: object,
  signal: AbortSignal,
): Promise<{ status: number; json: unknown }> {
  try {
    const response = await connection
      .post("/v1/messages/count_tokens", { body, signal, timeout: NO_TIMEOUT })
      .asResponse();
    return { status: response.status, json: await response.json() };
  } catch (error) {
    if (isAnswer(error)) return { status: error.status ?? 0, json: null };
    throw error;
  }
}

function connect({ apiKey, authToken }: AnthropicOptions, baseURL: string): Connection {
  // A local server needs no credentials; the SDK insists on a header or its absence.
  const none = apiKey === undefined && authToken === undefined;
  const older = apiKey !== undefined && baseURL !== DEFAULT_BASE_URL;
  return new Connection({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiKey !== undefined || authToken === undefined ? {} : { authToken }),
    ...(none ? { apiKey: null, authToken: null } : {}),
    // Servers and gateways of the older convention expect the key in this header.
    defaultHeaders: { ...(none ? { authorization: null } : {}), ...(older ? { "x-api-key": apiKey } : {}) },
    baseURL,
    maxRetries: 0,
    // A redirect would carry the key and the conversation to a host that the user did not name.
    fetchOptions: { redirect: "manual" },
    timeout: NO_TIMEOUT,
    openTelemetry: false,
    logLevel: "off",
  });
}

type Limits = Required<Pick<AnthropicOptions, "idleMs" | "totalMs" | "clock">>;

/** One request and its response. */
class Attempt {
  private readonly connection: Connection;
  private readonly where: Where;
  private readonly limits: Limits;
  private readonly clock: Clock;
  private readonly abort = new AbortController();
  private endless = false;

  constructor(connection: Connection, where: Where, limits: Limits) {
    this.connection = connection;
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
      if (isAnswer(error)) onAnswer(false);
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
    const response = await this.connection
      .post("/v1/messages", {
        ...sentBody(bodyOf(request, this.where.model)),
        stream: true,
        signal: this.abort.signal,
        timeout: NO_TIMEOUT,
      })
      .asResponse();
    onAnswer(true);
    await readReply(response, reply, watch, this.clock, () => this.abort.abort());
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
    if (isAnswer(error)) return serverFailure(this.answered(error), this.where);
    return connectionFailure(error, this.where);
  }

  private answered(error: APIError): ServerError {
    const location = error.headers?.get("location");
    const header: Header = (name) => error.headers?.get(name);
    const retryAfter = retryAfterMs(header, Date.parse(this.clock.date()));
    return {
      ...(error.status === undefined ? {} : { status: error.status }),
      ...(error.type === null ? {} : { type: error.type }),
      ...(error.errorCode === null ? {} : { code: error.errorCode }),
      ...(error.apiMessage === null ? {} : { message: error.apiMessage }),
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
      ...(header("x-should-retry") === "false" ? { shouldRetry: false } : {}),
      ...(location ? { location } : {}),
    };
  }
}

/** True if the server itself responded, with a status other than success. */
function isAnswer(error: unknown): error is APIError {
  return error instanceof APIError && !(error instanceof APIConnectionError) && error.status !== undefined;
}

/** A started reply costs money, even if it breaks off or is cancelled. */
function withUsage(outcome: ModelOutcome, { partialUsage }: ReplyAssembler): ModelOutcome {
  if (partialUsage === null || outcome.type === "reply") return outcome;
  return { ...outcome, failure: { ...outcome.failure, usage: partialUsage } };
}

function failed(failure: ModelFailure): ModelOutcome {
  return { type: "failure", failure };
}
