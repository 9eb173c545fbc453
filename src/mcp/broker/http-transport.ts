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
