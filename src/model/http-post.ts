import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import type { Clock } from "../lib/clock.ts";

/** Milliseconds for a connection to be made, through a proxy and with its certificate checked. */
const CONNECT_MS = 10_000;

/** Bytes of the body of a refusal: more is a page for people, not an error. */
const MOST_ERROR_BYTES = 64 * 1024;

export interface PosterOptions {
  /** Without a slash at its end. */
  readonly baseURL: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Where proxies are named: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The body of a request: texts and bytes, sent one after the other. */
export type BodyPiece = string | Uint8Array;

export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  /** Ends with an error if the connection breaks first. Who reads no end of it destroys it. */
  readonly body: Readable;
}

/**
 * Posts JSON to one server. Rejects with the connection's error, or the signal's reason; a redirect is an answer like any
 * other, since another host must not get the key. `more`: headers of this request alone.
 */
export type Post = (
  path: string,
  pieces: readonly BodyPiece[],
  signal: AbortSignal,
  more?: Readonly<Record<string, string>>,
) => Promise<HttpAnswer>;

type Request = typeof import("node:http").request;
interface Protocol {
  readonly request: Request;
  readonly agent: Agent;
}

/** Node's own client: fetch takes 15 to 30 ms to load and 1 to 2 ms more for each request (0034). */
export function poster({ baseURL, headers, clock, env }: PosterOptions): Post {
  const base = new URL(baseURL);
  const protocol = protocolFor(base, env);
  return async (path, pieces, signal, more = {}) => {
    const parts = pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const options: RequestOptions = {
      method: "POST",
      agent: protocol.agent,
      headers: { ...headers, ...more, "content-type": "application/json", "content-length": length },
    };
    const url = new URL(base.pathname.replace(/\/$/, "") + path, base);
    const send = () => exchange(protocol.request, url, options, parts, clock, signal);
    return decoded(
      await send().catch((error: unknown) =>
        error instanceof StaleConnection ? send() : Promise.reject(error),
      ),
    );
  };
}

/** Not by `import`, which asks node:http for all its names, and one of them loads all of fetch: 20 to 40 ms. */
function protocolFor(url: URL, env: PosterOptions["env"]): Protocol {
  const proxyEnv = proxyVariable(url, env) === null ? {} : { proxyEnv: { ...env } };
  const options = { keepAlive: true, maxFreeSockets: 1024, ...proxyEnv };
  if (url.protocol === "https:") {
    const { request, Agent } = process.getBuiltinModule("node:https");
    return { request, agent: new Agent(options) };
  }
  const { request, Agent } = process.getBuiltinModule("node:http");
  return { request, agent: new Agent(options) };
}

/** Returns the variable that names a proxy for a server, or null. NO_PROXY may still exclude it. */
export function proxyVariable(url: URL, env: PosterOptions["env"]): string | null {
  if (isLoopback(url.hostname)) return null;
  const name = `${url.protocol.slice(0, -1)}_proxy`;
  return [name, name.toUpperCase()].find((one) => env[one]) ?? null;
}

/** A proxy elsewhere cannot reach a server of this machine. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\./.test(host);
}

/** The server closed an idle connection in the moment in which it was used again: nothing was read. */
class StaleConnection extends Error {}

function exchange(
  request: Request,
  url: URL,
  options: RequestOptions,
  parts: readonly Uint8Array[],
  clock: Clock,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const sent = request(url, options);
    // A request without a connection reports no error, not even if it is destroyed.
    const fail = (error: Error) => {
      withdraw();
      signal.removeEventListener("abort", abort);
      sent.destroy(error);
      reject(error);
    };
    const abort = () => fail(new Error("The request was cancelled."));
    const withdraw = clock.after(CONNECT_MS, () => fail(new TimedOut()));
    signal.addEventListener("abort", abort, { once: true });
    sent.once("socket", (socket) => {
      if (!socket.connecting) withdraw();
      else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", withdraw);
    });
    sent.once("response", (response) => {
      withdraw();
      response.once("close", () => signal.removeEventListener("abort", abort));
      resolve(response);
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      fail(isStale && !signal.aborted ? new StaleConnection() : error);
    });
    sent.cork();
    for (const part of parts) sent.write(part);
    sent.end();
    sent.uncork();
  });
}

class TimedOut extends Error {
  readonly code = "ETIMEDOUT";
}

/** Some proxies compress although no encoding was asked for. */
async function decoded(response: IncomingMessage): Promise<HttpAnswer> {
  const { statusCode = 0, headers } = response;
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  const encoding = (header("content-encoding") ?? "identity").toLowerCase();
  if (encoding === "identity") return { status: statusCode, header, body: response };
  const { createGunzip, createInflate, createBrotliDecompress } = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  const decoders = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const decoder = new Map(Object.entries(decoders)).get(encoding)?.();
  if (decoder === undefined) return { status: statusCode, header, body: response };
  return { status: statusCode, header, body: pipeline(response, decoder, () => {}) };
}

/** Reads a body that should be short, to its end or to a limit, so that its connection is free again. */
export async function readBody({ body }: HttpAnswer, most = MOST_ERROR_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part = Buffer.from(chunk);
    chunks.push(part);
    bytes += part.length;
    if (bytes > most) break;
  }
  return Buffer.concat(chunks).toString();
}
