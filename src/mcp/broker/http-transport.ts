import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { SSEClientTransport, SseError } from "@modelcontextprotocol/sdk/client/sse.js";
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { HttpServer } from "../server.ts";
import { NotSignedInError } from "./oauth-providers.ts";

export type HttpTransport = StreamableHTTPClientTransport | SSEClientTransport;

export interface HttpParts {
  readonly fetch: FetchLike;
  readonly authProvider?: OAuthClientProvider;
}

export function httpTransports(server: HttpServer, parts: HttpParts): readonly (() => HttpTransport)[] {
  const url = new URL(server.url);
  // Older servers know only this; the protocol says to try it second.
  const sse = () => new SSEClientTransport(url, parts);
  return server.type === "sse" ? [sse] : [() => new StreamableHTTPClientTransport(url, parts), sse];
}

/** True if a server answered as one does that knows only the older transport. */
export function mayBeOlder(error: unknown): boolean {
  return error instanceof StreamableHTTPError && [400, 404, 405, 406, 415].includes(error.code ?? 0);
}

export function isUnauthorized(error: unknown): boolean {
  if (error instanceof UnauthorizedError || error instanceof NotSignedInError) return true;
  return (error instanceof StreamableHTTPError || error instanceof SseError) && error.code === 401;
}

/** True if a server has forgotten our session or did not answer: it has done nothing of what was asked. */
export function isUnreached(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return error.code === 404;
  return error instanceof TypeError && error.message === "fetch failed";
}

interface FetchParts {
  readonly url: string;
  /** Sent to the server's own origin only: its authorization server must not see them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly messageBytes: number;
  /** Called for each response; counts the bytes of its body. */
  readonly countResponse?: (method: string | undefined) => (bytes: number) => void;
}

/** Returns `fetch` with the configured headers, and with a bound on each message of a response (fault 58). */
export function boundedFetch({ url, headers, messageBytes, countResponse }: FetchParts): FetchLike {
  const { origin } = new URL(url);
  return async (target, init) => {
    const own = new Headers(init?.headers);
    if (new URL(target).origin === origin)
      for (const [name, value] of Object.entries(headers)) own.set(name, value);
    const response = await fetch(target, { ...init, headers: own });
    if (response.body === null) return response;
    const isEvents = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const count = countResponse?.(init?.method);
    return withBody(response, response.body.pipeThrough(boundMessages(messageBytes, isEvents, count)));
  };
}

/** Returns a response with another body. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const same = new Response(body, { status, statusText, headers });
  // The constructor loses it, and redirects are judged by it.
  return Object.defineProperty(same, "url", { value: url });
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** An event stream may be endless, but none of its events: an empty line ends one. */
function boundMessages(
  maxBytes: number,
  isEvents: boolean,
  count: ((bytes: number) => void) | undefined,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineEnds = 0;
  return new TransformStream({
    transform(chunk, controller) {
      count?.(chunk.length);
      if (!isEvents) bytes += chunk.length;
      else
        for (const byte of chunk) {
          bytes += 1;
          if (byte === LINE_FEED) lineEnds += 1;
          else if (byte !== CARRIAGE_RETURN) lineEnds = 0;
          if (lineEnds >= 2) bytes = 0;
        }
      if (bytes > maxBytes) controller.error(new Error(`it sent a message of more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
