import { fieldsOf, given, parseJson } from "../lib/json.ts";

/** What servers of different projects tell about an error. */
export interface ErrorFields {
  /** Of an error without a status of its own: it came in a stream, or with status 200. */
  readonly status?: number;
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
}

/** Characters of a text without structure: more is a page for people, not an error. */
const MOST_TEXT = 500;

/** Returns what the body of a refusal says, or null if it says nothing. */
export function errorIn(body: string, header: Header): ErrorFields | null {
  const text = body.trim();
  const parsed = parseJson(text);
  if (parsed !== undefined) return errorOf(parsed);
  const isText = text !== "" && text.length <= MOST_TEXT && !text.startsWith("<");
  return isText && !(header("content-type") ?? "").includes("html") ? { message: text } : null;
}

/** Returns the error that a successful response or an event of a stream is in truth, or null. */
export function toldError(json: unknown): ErrorFields | null {
  const fields = fieldsOf(json);
  const isError = fields["type"] === "error" || fields["object"] === "error";
  return isError ? (errorOf(json) ?? {}) : errorOf(fields["error"]);
}

/**
 * Returns the error in a JSON value: the Messages API, OpenAI, vLLM, llama.cpp and Vertex have an object `error`, Ollama a text,
 * FastAPI `detail`, Bedrock and older vLLM only a `message`.
 */
export function errorOf(json: unknown): ErrorFields | null {
  // Google's servers put it into a list.
  if (Array.isArray(json)) return json.length === 0 ? null : errorOf(json[0]);
  if (typeof json === "string") return json === "" ? null : { message: json };
  const { error, detail, ...outer } = fieldsOf(json);
  if (error != null) return errorOf(error) ?? errorOf(outer);
  if (detail != null) return errorOf(detail) ?? errorOf(outer);
  return flatError(outer);
}

function flatError(fields: Readonly<Record<string, unknown>>): ErrorFields | null {
  const type = textIn(fields, "type", "status", "__type");
  const code = textIn(fieldsOf(fields["details"]), "error_code") ?? textIn(fields, "code");
  const status = Number(fields["code"] ?? Number.NaN);
  const message = textIn(fields, "message", "Message", "msg");
  if (type === undefined && code === undefined && message === undefined) return null;
  // llama.cpp has the size of its window in a field of its own.
  const size = typeof fields["n_ctx"] === "number" ? ` (context size ${fields["n_ctx"]})` : "";
  return {
    ...(status >= 400 && status < 600 ? { status } : {}),
    ...given({ type, code }),
    ...(message === undefined ? {} : { message: message + size }),
  };
}

function textIn(fields: Readonly<Record<string, unknown>>, ...keys: string[]): string | undefined {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

export type Header = (name: string) => string | null | undefined;

/** The `date` of an answer has whole seconds. */
const COARSE_MS = 2_000;

/**
 * Milliseconds that a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP
 * date. Undefined if it is absent or makes no sense. `wallNow` is in milliseconds since 1970; the server's own clock counts
 * if ours was set wrong (fault 28).
 */
export function retryAfterMs(header: Header, wallNow: number): number | undefined {
  const ms = number(header("retry-after-ms"));
  if (ms !== undefined) return ms;
  const text = header("retry-after");
  const seconds = number(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(text ?? "");
  const now = Date.parse(header("date") ?? "");
  const isOurs = Number.isNaN(now) || Math.abs(now - wallNow) <= COARSE_MS;
  return Number.isNaN(date) ? undefined : Math.max(0, date - (isOurs ? wallNow : now));
}

/** Limits of the API, each with what remains of it and when it is whole again. */
const LIMITS = ["requests", "tokens", "input-tokens", "output-tokens"];

/**
 * Milliseconds until a limit that is reached is reset, by the headers `anthropic-ratelimit-*` or by the text of the error, which
 * ends with a time in seconds since 1970. Undefined if neither names a time to come.
 */
export function resetMs(header: Header, message: string, wallNow: number): number | undefined {
  const prefix = "anthropic-ratelimit-";
  const reached = LIMITS.filter((name) => number(header(`${prefix}${name}-remaining`)) === 0);
  const dates = reached.map((name) => Date.parse(header(`${prefix}${name}-reset`) ?? ""));
  const isRejected = header(`${prefix}unified-status`) === "rejected";
  const [, said] = /limit reached\|(\d{10})\b/i.exec(message) ?? [];
  const seconds = [isRejected ? number(header(`${prefix}unified-reset`)) : undefined, number(said)];
  const times = [...dates, ...seconds.map((at) => (at === undefined ? Number.NaN : at * 1000))];
  const last = Math.max(...times.filter((at) => at > wallNow));
  return Number.isFinite(last) ? last - wallNow : undefined;
}

function number(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
