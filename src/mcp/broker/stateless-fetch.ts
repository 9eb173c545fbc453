import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod/mini";
import { headerValue, type ParamHeaders } from "./param-headers.ts";

/** The version without a handshake: each request says all that a server must know. */
export const STATELESS = "2026-07-28";
export const UNSUPPORTED_VERSION = -32_022;
export const META = "io.modelcontextprotocol";

const Id = z.union([z.string(), z.number()]);
const Sent = z.object({
  id: z.optional(Id),
  method: z.string(),
  params: z.optional(
    z.object({
      name: z.optional(z.string()),
      uri: z.optional(z.string()),
      arguments: z.optional(z.unknown()),
      requestId: z.optional(Id),
    }),
  ),
});

/**
 * Adds the headers by which proxies can route requests of the stateless protocol without reading their bodies. A
 * request is cancelled by closing its response, so a notification of that is not sent.
 */
export function statelessFetch(fetch: FetchLike, paramHeaders: ParamHeaders): FetchLike {
  const open = new Map<string | number, AbortController>();
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    if (headers.get("mcp-protocol-version") !== STATELESS || typeof init?.body !== "string")
      return fetch(url, init);
    const { data } = Sent.safeParse(JSON.parse(init.body));
    if (data === undefined) return fetch(url, init);
    const { id, method, params = {} } = data;
    if (method === "notifications/cancelled") {
      if (params.requestId !== undefined) open.get(params.requestId)?.abort();
      return new Response(null, { status: 202 });
    }
    headers.set("mcp-method", method);
    const name = params.name ?? params.uri;
    if (name !== undefined) headers.set("mcp-name", headerValue(name));
    if (method === "tools/call" && name !== undefined)
      for (const header of paramHeaders.headersOf(name, params.arguments)) headers.set(...header);
    if (id === undefined) return fetch(url, { ...init, headers });
    const cancel = new AbortController();
    open.set(id, cancel);
    const forget = () => open.delete(id);
    try {
      const signal = init.signal ? AbortSignal.any([init.signal, cancel.signal]) : cancel.signal;
      return endWith(await fetch(url, { ...init, headers, signal }), cancel.signal, forget);
    } catch (error) {
      forget();
      throw error;
    }
  };
}

/** Returns a response that ends when `cancelled` aborts, as if the server had closed it. */
function endWith(response: Response, cancelled: AbortSignal, onEnd: () => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  const ended = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
      } catch (error) {
        if (!cancelled.aborted) {
          onEnd();
          return controller.error(error);
        }
      }
      onEnd();
      controller.close();
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
  const same = new Response(ended, { status, statusText, headers });
  // The constructor loses it, and redirects are judged by it.
  Object.defineProperty(same, "url", { value: response.url });
  return same;
}
