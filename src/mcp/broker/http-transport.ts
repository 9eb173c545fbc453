import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { SSEClientTransport, SseError } from "@modelcontextprotocol/sdk/client/sse.js";
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { HttpServer } from "../server.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { FloodGuard } from "./flood-guard.ts";
import { keptSignIn, NotSignedInError } from "./oauth.ts";
import { SignInFile } from "./sign-in-file.ts";

export interface HttpParts {
  readonly signIns: string;
  readonly messageBytes: number;
  readonly guard: FloodGuard;
}

/** The ways to reach a server over HTTP, in the order to try them. */
export function httpTransports(server: HttpServer, parts: HttpParts): readonly (() => Transport)[] {
  const url = new URL(server.url);
  const countResponse = parts.guard.countResponse.bind(parts.guard);
  const fetch = boundedFetch({ ...server, messageBytes: parts.messageBytes, countResponse });
  const options = () => {
    const file = new SignInFile(parts.signIns, server);
    // Without tokens a provider would register us with whatever server asks; that is for `signIn` to do.
    return file.read().tokens === undefined ? { fetch } : { fetch, authProvider: keptSignIn(server, file) };
  };
  // Older servers know only this; the protocol says to try it second.
  const sse = () => new SSEClientTransport(url, options());
  const streamable = (): Transport => new StreamableHTTPClientTransport(url, options());
  return server.type === "sse" ? [sse] : [streamable, sse];
}

/** Whether an older protocol is to be tried: the address is there, and knows nothing of what was sent. */
export function mayBeOlder(error: unknown): boolean {
  return error instanceof StreamableHTTPError && [400, 404, 405, 406, 415].includes(error.code ?? 0);
}

/** The server wants somebody to sign in. */
export function isUnauthorized(error: unknown): boolean {
  if (error instanceof UnauthorizedError || error instanceof NotSignedInError) return true;
  return (error instanceof StreamableHTTPError || error instanceof SseError) && error.code === 401;
}

/** The server does not know our session any more, so it has done nothing of what was asked. */
export function isForgotten(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code === 404;
}

/** Nothing came back at all: the server is gone, or the way to it. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}
