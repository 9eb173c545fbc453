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
  failedOutcome,
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
import { idleWatch, type ReplyTranslator, readReply, Unreadable } from "./reply-stream.ts";

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
  if (!base.ok)
    return { name, ask: async () => failedOutcome({ kind: "invalid_request", message: base.message }) };

  const { env = process.env } = options;
  const headers = { accept: "application/json", "user-agent": "troupe", ...api.headers };
  const post = poster({ baseURL: base.url, headers, clock, env });
  const proxy = proxyVariable(new URL(base.url), env);
  const resolve = (model: string) => withoutLongMark(resolveModel(model, aliases));
  /** Sends one request and reads its response. `progress`: headers of this request alone. */
  const attempt = async (
    { request, where, progress }: AttemptRequest,
    on: OnModelEvent,
    signal: AbortSignal,
    onAnswer: OnServerAnswer,
  ): Promise<ModelOutcome> => {
    const abort = new AbortController();
    const cancel = () => abort.abort();
    signal.addEventListener("abort", cancel, { once: true });
    const reason = `${where.host} has sent nothing for ${QUIET_MS / 1000} s`;
    const watch = idleWatch(clock, {
      ...{ idleMs, onIdle: cancel, quietMs: QUIET_MS },
      onQuiet: (ms) => on({ type: "waiting", reason, ms, attempt: null }),
    });
    let isEndless = false;
    const withdraw = clock.after(totalMs, () => {
      isEndless = true;
      cancel();
    });
    const reply = new ReplyAssembler(on, () => onAnswer(true), progress !== null);
    const sentAt = clock.now();
    let failure: ModelFailure | undefined;
    try {
      const answer = await post(api.path, api.encode(request, where.model), abort.signal, progress ?? {});
      if (answer.status >= 200 && answer.status < 300)
        await readReply(answer, api.translate(), reply, watch, clock);
      else {
        onAnswer(false);
        failure = serverFailure(await readRefusal(answer, Date.parse(clock.date())), where);
      }
    } catch (error) {
      failure =
        error instanceof Unreadable ? unreadableFailure(error, where) : connectionFailure(error, where);
    } finally {
      watch.stop();
      withdraw();
      signal.removeEventListener("abort", cancel);
    }
    if (signal.aborted) return withUsage(cancelled, reply);
    const late = watch.lateMs();
    if (failure && late !== null) failure = stalledFailure(idleMs, late, where);
    else if (failure && isEndless) failure = endlessFailure(totalMs, where);
    // A reply with a stop reason is complete, whatever broke after it (fault 14).
    const finished = reply.finish();
    if (finished.type === "finished") {
      const { type: _, model, ...whole } = finished;
      const apiMs = clock.now() - sentAt;
      return { type: "reply", reply: { ...whole, model: model || where.model, apiMs } };
    }
    failure ??= protocolFailure(finished.problem, where);
    const said = reply.partialText === "" ? {} : { partialText: reply.partialText };
    return withUsage(failedOutcome({ ...failure, ...said }), reply);
  };

  return {
    name,
    ...api.extend?.({ post, clock, resolve }),
    async ask(request, on, signal, onAnswer = () => {}) {
      if (signal.aborted) return cancelled;
      // The one door: however the model was chosen, no request is sent to one that is not available.
      const refusal = modelRefusal(request.model, options.availableModels, aliases);
      if (refusal !== null) return failedOutcome({ kind: "invalid_request", message: refusal });
      const { kind, secrets } = api;
      const where: Where = { host: base.host, model: resolve(request.model), kind, proxy, secrets };
      const learned: (() => void)[] = [];
      for (;;) {
        const progress = api.progress?.(request, where.model) ?? null;
        const outcome = await attempt({ request, where, progress }, on, signal, onAnswer);
        if (outcome.type === "reply") {
          for (const learn of learned) learn();
          return outcome;
        }
        const learn = api.mend?.(request, outcome.failure, progress !== null) ?? null;
        if (learn === null) return outcome;
        learned.push(learn);
      }
    },
  };
}

interface AttemptRequest {
  readonly request: ModelRequest;
  readonly where: Where;
  readonly progress: Readonly<Record<string, string>> | null;
}

function unreadableFailure({ problem, final }: Unreadable, where: Where): ModelFailure {
  if (problem.type === "error") return serverFailure(problem.error, where);
  const failure = protocolFailure(problem.problem, where);
  return final ? { ...failure, final: true } : failure;
}

/** Reads what the server itself responded with a status other than success. `now`: milliseconds since 1970. */
async function readRefusal(answer: HttpAnswer, now: number): Promise<ServerError> {
  const { status, header } = answer;
  // The status counts, also if the rest does not come.
  const { type, code, message = "" } = errorIn(await readBody(answer).catch(() => ""), header) ?? {};
  const location = header("location");
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

/** A started reply costs money, even if it breaks off or is cancelled. */
function withUsage(outcome: ModelOutcome, { partialUsage }: ReplyAssembler): ModelOutcome {
  if (partialUsage === null || outcome.type === "reply") return outcome;
  return { ...outcome, failure: { ...outcome.failure, usage: partialUsage } };
}
