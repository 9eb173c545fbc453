import { given } from "../lib/json.ts";
import { SERVERS, type ServerKind } from "./base-url.ts";
import type { ModelFailure, ModelFailureKind, ModelOutcome } from "./client.ts";

/** What a failure's sentence may name. */
export interface Where {
  readonly kind: ServerKind;
  /** `host:port` of the server. */
  readonly host: string;
  readonly model: string;
  /** The variable that names a proxy for it. */
  readonly proxy?: string | null;
  /** Keys and tokens, so that none is ever printed. */
  readonly secrets: readonly string[];
}

/** What a server reported about its error: a status, an `error` event in the stream, or both. */
export interface ServerError {
  readonly status?: number;
  /** `error.type` of the body. */
  readonly type?: string;
  /** `error.details.error_code` of the body. */
  readonly code?: string;
  /** `error.message` of a JSON body; never a page of HTML. */
  readonly message?: string;
  readonly retryAfterMs?: number;
  /** The server's `x-should-retry`. */
  readonly shouldRetry?: boolean;
  /** The target of a 3xx response. */
  readonly location?: string;
}

const KIND_OF_TYPE: Readonly<Record<string, ModelFailureKind>> = {
  authentication_error: "auth",
  permission_error: "auth",
  not_found_error: "not_found",
  invalid_request_error: "invalid_request",
  request_too_large: "too_large",
  rate_limit_error: "rate_limit",
  billing_error: "spend_limit",
  overloaded_error: "overloaded",
  api_error: "server",
  timeout_error: "server",
};

const SPENT =
  /spend.?limit|usage.?limit|credit balance|billing|insufficient_quota|budget.?(has been.?)?exceeded/i;
/** How servers say that a prompt does not fit (docs/models.md lists whose wording is tried). */
const TOO_LONG =
  /(prompt|input|request|conversation) (is )?too (long|large)|context (length|window|size|limit)|too many (input )?tokens|maximum (prompt|input|model) length|(input )?tokens? (count )?.{0,40}exceeds? the (maximum|limit)|reduce the length of the (messages|prompt)|exceeded model token limit|`?inputs`? tokens \+ `?max_new_tokens|range of input length|exceed_context_size|context_length_exceeded/i;

/** With these statuses a server means something else, whatever its text mentions. */
const NEVER_TOO_LONG: ReadonlySet<number> = new Set([401, 402, 403, 404, 429, 529]);

function kindOf({ status, type, code, message = "" }: ServerError): ModelFailureKind {
  const byType = KIND_OF_TYPE[type ?? ""];
  const refused = status === undefined ? byType !== "overloaded" : status < 500;
  if (refused && (SPENT.test(code ?? "") || SPENT.test(message))) return "spend_limit";
  const isOpen = byType === undefined || byType === "invalid_request" || byType === "server";
  const mayBeLong = status === undefined ? isOpen : !NEVER_TOO_LONG.has(status);
  if (mayBeLong && TOO_LONG.test(`${type} ${code} ${message}`)) return "too_large";
  if (status === undefined) return byType ?? "server";
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "spend_limit";
  if (status === 404) return "not_found";
  if (status === 413) return "too_large";
  if (status === 429) return "rate_limit";
  if (status === 529 || (status === 503 && byType === "overloaded")) return "overloaded";
  // A timeout or a lock on the server's side.
  if (status >= 500 || status === 408 || status === 409) return "server";
  return "invalid_request";
}

function sentence(kind: ModelFailureKind, where: Where, detail: string, status: string): string {
  const { host, model } = where;
  const { api, address, keys } = SERVERS[where.kind];
  switch (kind) {
    case "auth":
      return `${host} refused the credentials${status}${detail}; check ${keys}, and what it may use.`;
    case "not_found":
      return `${host} knows no model "${model}" or has no ${api} there${status}${detail}; check the model's name and ${address}.`;
    case "spend_limit":
      return `The spending limit at ${host} is reached${status}${detail}; raise it or use another key.`;
    case "too_large":
      return `The conversation is too large for ${model} at ${host}${status}${detail}; shorten it or start a new one.`;
    case "invalid_request":
      return `${host} rejected the request to ${model}${status}${detail}.`;
    case "rate_limit":
      return `${host} limits the rate of requests to ${model}${status}${detail}; wait, or run fewer agents in parallel.`;
    case "overloaded":
      return `${model} at ${host} is overloaded${status}${detail}; try again in a while.`;
    default:
      return `${host} failed while answering for ${model}${status}${detail}; this is usually temporary, try again in a while.`;
  }
}

/** Classifies a server's response (faults 1 to 8 and 11). */
export function serverFailure(error: ServerError, where: Where): ModelFailure {
  if (error.status !== undefined && error.status >= 300 && error.status < 400)
    return redirected(error, where);
  const kind = kindOf(error);
  const said = error.message ? `: ${redacted(error.message, where.secrets)}` : "";
  const status = error.status === undefined ? "" : ` (${error.status})`;
  return {
    kind,
    message: sentence(kind, where, said, status),
    ...given({ status: error.status, retryAfterMs: error.retryAfterMs }),
    ...(error.shouldRetry === false ? { final: true } : {}),
  };
}

/** Not followed: the key and the conversation go only to the configured server. */
function redirected({ status, location }: ServerError, { host, kind, secrets }: Where): ModelFailure {
  const to = location === undefined ? "another address" : redacted(location, secrets);
  return {
    kind: "invalid_request",
    message: `${host} redirects to ${to} (${status}), which is not followed; set ${SERVERS[kind].address} to the right server.`,
    ...(status === undefined ? {} : { status }),
  };
}

/** Shorter ones are not keys: local servers are given values such as `none`, which other text contains, too. */
const SHORTEST_KEY = 8;

/** Returns one line without a final full stop or a key, at most 300 characters. */
function redacted(text: string, secrets: readonly string[]): string {
  let safe = text.replaceAll(/\s+/g, " ").trim();
  for (const secret of secrets) if (secret.length >= SHORTEST_KEY) safe = safe.replaceAll(secret, "[key]");
  safe = safe.replaceAll(/\bsk-[\w-]{8,}/g, "[key]");
  return (safe.length > 300 ? `${safe.slice(0, 300)}…` : safe).replace(/\.$/, "");
}

export function protocolFailure(problem: string, { host, kind }: Where): ModelFailure {
  const { api, address } = SERVERS[kind];
  return {
    kind: "protocol",
    message: `The answer of ${host} cannot be used: ${problem}; try again, or check that ${address} is a ${api}.`,
  };
}

/** `sleptMs`: how much later than due the watchdog woke (fault 27). */
export function stalledFailure(idleMs: number, sleptMs: number, { host, model }: Where): ModelFailure {
  const message =
    sleptMs > 30_000
      ? `The reply of ${model} from ${host} was lost while this machine was asleep.`
      : `${host} sent no part of the reply of ${model} for ${Math.round(idleMs / 1000)} s; the request was given up.`;
  return { kind: "stalled", message };
}

/** Something arrived all the time, but never an end (fault 15). */
export function endlessFailure(totalMs: number, { host, model }: Where): ModelFailure {
  const message = `The reply of ${model} from ${host} was not complete after ${Math.round(totalMs / 60_000)} minutes; the request was given up.`;
  return { kind: "stalled", message };
}

export function failedOutcome(failure: ModelFailure): ModelOutcome {
  return { type: "failure", failure };
}

export const cancelled = failedOutcome({ kind: "cancelled", message: "The request was cancelled." });

/** Resolves to the outcome, or to `cancelled` as soon as the signal is aborted. */
export function untilCancelled(outcome: Promise<ModelOutcome>, signal: AbortSignal): Promise<ModelOutcome> {
  return new Promise((resolve, reject) => {
    const cancel = () => resolve(cancelled);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    outcome.then(resolve, reject).finally(() => signal.removeEventListener("abort", cancel));
  });
}

/**
 * True if the same request may succeed later. A key, a spending limit or a malformed request do not change by
 * themselves; nor does a failure marked `final`.
 */
export function retryable(failure: ModelFailure): boolean {
  if (failure.final) return false;
  switch (failure.kind) {
    case "rate_limit":
    case "overloaded":
    case "server":
    case "connection":
    case "stalled":
    case "protocol":
      return true;
    case "auth":
    case "invalid_request":
    case "not_found":
    case "spend_limit":
    case "too_large":
    case "over_budget":
    case "cancelled":
      return false;
    default:
      failure.kind satisfies never;
      return false;
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused: nothing listens there",
  ENOTFOUND: "no such host is known",
  EAI_AGAIN: "the name could not be looked up",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  EMFILE: "too many files are open",
  ERR_INVALID_CHAR: "the key has a character that cannot be sent, such as a line break",
};

const TLS =
  /^(EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(VERIFY|GET)_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;

/** Returns the failure of a missing or interrupted response for a network reason (faults 9, 10, 12 and 13). */
export function connectionFailure(error: unknown, { host, kind, proxy }: Where): ModelFailure {
  const { address } = SERVERS[kind];
  const code = codeOf(error);
  if (TLS.test(code))
    return {
      kind: "connection",
      final: true,
      message: `The certificate of ${host} cannot be verified (${code}); check the address, or name your authority's file in NODE_EXTRA_CA_CERTS.`,
    };
  const what =
    proxy == null
      ? `check that the server runs and that ${address} is right`
      : `check that the server runs, ${address}, and the proxy that ${proxy} names`;
  const cause = CAUSES[code] ?? (code === "" ? "the connection broke" : `the connection broke, ${code}`);
  return {
    kind: "connection",
    message: `No complete answer from ${host} (${cause}); ${what}.`,
  };
}

/** Returns the code of the innermost cause: there is one error per address of a host. */
function codeOf(error: unknown): string {
  let code = "";
  let cause: unknown = error;
  for (let depth = 0; depth < 6 && typeof cause === "object" && cause !== null; depth++) {
    if ("code" in cause && typeof cause.code === "string") code = cause.code;
    if ("errors" in cause && Array.isArray(cause.errors) && code === "") cause = cause.errors[0];
    else cause = "cause" in cause ? cause.cause : undefined;
  }
  return code;
}
