import { type Clock, systemClock } from "../lib/clock.ts";
import { given } from "../lib/json.ts";
import { checkBaseURL, SERVERS, type ServerKind } from "./base-url.ts";
import type {
  ModelClient,
  ModelFailure,
  ModelOutcome,
  ModelRequest,
  OnModelEvent,
  OnServerAnswer,
} from "./client.ts";
import { errorIn, resetMs, retryAfterMs } from "./error-response.ts";
import {
  cancelled,
  connectionFailure,
  endlessFailure,
  protocolFailure,
  type ServerError,
  serverFailure,
  stalledFailure,
  type Where,
} from "./failures.ts";
import {
  type BodyPiece,
  type HttpAnswer,
  type Post,
  type PosterOptions,
  poster,
  proxyVariable,
  readBody,
} from "./http-post.ts";
import { withoutLongMark } from "./known-models.ts";
import { type Aliases, type AvailableModels, modelRefusal, resolveModel } from "./model-names.ts";
import { ReplyAssembler } from "./reply.ts";
import { type IdleWatch, idleWatch, type ReplyTranslator, readReply, Unreadable } from "./reply-stream.ts";

/** What one API adds to the client of all of them: how a request is written, and how its reply is read. */
export interface ModelApi {
  readonly kind: ServerKind;
  /** Below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys and tokens, so that none is ever printed. */
  readonly secrets: readonly string[];
  /** Returns the body of a request. */
  encode(request: ModelRequest, model: string): BodyPiece[];
  /**
   * Headers with which the model also tells the user what it does between calls, as thoughts; null if it does not. The body of such
   * a request says so, too.
   */
  progress?(request: ModelRequest, model: string): Readonly<Record<string, string>> | null;
  /**
   * Leaves out of this request what the server refuses to take. Returns what to do if it then takes it, or null if that is not why
   * it failed. `showedProgress`: it had the headers of `progress`.
   */
  mend?(request: ModelRequest, failure: ModelFailure, showedProgress: boolean): (() => void) | null;
  /** Returns what turns one reply into events of the Messages API. */
  translate(): ReplyTranslator;
  /** Adds to the client what only this API has. */
  extend?(server: ApiServer): Partial<ModelClient>;
}

/** Where the requests of an API go. */
export interface ApiServer {
  readonly post: Post;
  readonly clock: Clock;
  /** Returns the ID that an alias stands for. */
  resolve(model: string): string;
}

/** What is the same for every server that is reached over HTTP. */
export interface HttpModelOptions {
  readonly baseURL?: string;
  readonly aliases?: Aliases;
  readonly availableModels?: AvailableModels;
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

/** Returns a client of one server; one attempt each, the governor retries. */
export function httpModel(api: ModelApi, options: HttpModelOptions): ModelClient {
  const { idleMs = 300_000, totalMs = 3_600_000, clock = systemClock, aliases = {} } = options;
  const { name, baseURL } = SERVERS[api.kind];
  const base = checkBaseURL(options.baseURL ?? baseURL, api.kind);
  if (!base.ok) return { name, ask: async () => failed({ kind: "invalid_request", message: base.message }) };

  const { env = process.env } = options;
  const headers = { accept: "application/json", "user-agent": "troupe", ...api.headers };
  const post = poster({ baseURL: base.url, headers, clock, env });
  const proxy = proxyVariable(new URL(base.url), env);
  const resolve = (model: string) => withoutLongMark(resolveModel(model, aliases));
  return {
    name,
    ...api.extend?.({ post, clock, resolve }),
    async ask(request, on, signal, onAnswer = () => {}) {
      if (signal.aborted) return cancelled;
      // The one door: however the model was chosen, no request is sent to one that is not available.
      const refusal = modelRefusal(request.model, options.availableModels, aliases);
      if (refusal !== null) return failed({ kind: "invalid_request", message: refusal });
      const { kind, secrets } = api;
      const where: Where = { host: base.host, model: resolve(request.model), kind, proxy, secrets };
      const learned: (() => void)[] = [];
      for (;;) {
        const attempt = new Attempt(post, api, where, { idleMs, totalMs, clock });
        const outcome = await attempt.run(request, on, signal, onAnswer);
        if (outcome.type === "reply") {
          for (const learn of learned) learn();
          return outcome;
        }
        const learn = api.mend?.(request, outcome.failure, attempt.showsProgress) ?? null;
        if (learn === null) return outcome;
        learned.push(learn);
      }
    },
  };
}

type Limits = Required<Pick<HttpModelOptions, "idleMs" | "totalMs" | "clock">>;

/** One request and its response. */
class Attempt {
  private readonly post: Post;
  private readonly api: ModelApi;
  private readonly where: Where;
  private readonly limits: Limits;
  private readonly clock: Clock;
  private readonly abort = new AbortController();
  private endless = false;
  showsProgress = false;

  constructor(post: Post, api: ModelApi, where: Where, limits: Limits) {
    this.post = post;
    this.api = api;
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
    const progress = this.api.progress?.(request, this.where.model) ?? null;
    this.showsProgress = progress !== null;
    const reply = new ReplyAssembler(on, () => onAnswer(true), this.showsProgress);
    const sentAt = this.clock.now();
    let failure: ModelFailure | undefined;
    try {
      await this.exchange(request, reply, watch, { onAnswer, headers: progress ?? {} });
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
    { onAnswer, headers }: { readonly onAnswer: OnServerAnswer; readonly headers: Record<string, string> },
  ): Promise<void> {
    const body = this.api.encode(request, this.where.model);
    const answer = await this.post(this.api.path, body, this.abort.signal, headers);
    const isAccepted = answer.status >= 200 && answer.status < 300;
    if (!isAccepted) {
      onAnswer(false);
      throw new Refused(await this.refusal(answer));
    }
    await readReply(answer, this.api.translate(), reply, watch, this.clock);
  }

  /** A reply with a stop reason is complete, whatever broke after it (fault 14). */
  private outcome(reply: ReplyAssembler, failure: ModelFailure | undefined, apiMs: number): ModelOutcome {
    const finished = reply.finish();
    if (finished.type === "finished") {
      const { type: _, model, ...reply } = finished;
      return { type: "reply", reply: { ...reply, model: model || this.where.model, apiMs } };
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
      if (error.problem.type === "error") return serverFailure(error.problem.error, this.where);
      const failure = protocolFailure(error.problem.problem, this.where);
      return error.final ? { ...failure, final: true } : failure;
    }
    if (error instanceof Refused) return serverFailure(error.answer, this.where);
    return connectionFailure(error, this.where);
  }

  private async refusal(answer: HttpAnswer): Promise<ServerError> {
    const { status, header } = answer;
    // The status counts, also if the rest does not come.
    const { type, code, message = "" } = errorIn(await readBody(answer).catch(() => ""), header) ?? {};
    const location = header("location");
    const now = Date.parse(this.clock.date());
    const retryAfter =
      retryAfterMs(header, now) ?? (status === 429 ? resetMs(header, message, now) : undefined);
    return {
      status,
      ...given({ type, code }),
      ...(message === "" ? {} : { message }),
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

/** A started reply costs money, even if it breaks off or is cancelled. */
function withUsage(outcome: ModelOutcome, { partialUsage }: ReplyAssembler): ModelOutcome {
  if (partialUsage === null || outcome.type === "reply") return outcome;
  return { ...outcome, failure: { ...outcome.failure, usage: partialUsage } };
}

function failed(failure: ModelFailure): ModelOutcome {
  return { type: "failure", failure };
}
