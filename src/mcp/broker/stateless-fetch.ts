import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod/mini";
import { valueAt } from "../../lib/json.ts";
import { withBody } from "./http-transport.ts";

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
  const { body } = response;
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
  return withBody(response, ended);
}

/** An argument of a tool that is sent as a header too, by its path in the input. */
export interface HeaderParam {
  readonly path: readonly string[];
  readonly header: string;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The protocol says the first three; its own SDK and its tests accept numbers too. */
const PLAIN_TYPES = ["string", "integer", "boolean", "number"];
const MARK = "x-mcp-header";

const Schema = z.looseObject({
  properties: z.optional(z.record(z.string(), z.unknown())),
  type: z.optional(z.unknown()),
});
const Listed = z.object({
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })),
});

/** Returns what a schema marks with `x-mcp-header`, or a sentence if a mark breaks the protocol's rules. */
export function readHeaderParams(inputSchema: unknown): readonly HeaderParam[] | string {
  const params: HeaderParam[] = [];
  const names = new Set<string>();
  const visit = (schema: unknown, path: readonly string[]): string | null => {
    const { data } = Schema.safeParse(schema);
    if (data === undefined) return null;
    const header = data[MARK];
    if (header !== undefined) {
      if (typeof header !== "string" || !TOKEN.test(header) || names.has(header.toLowerCase()))
        return `${MARK} ${JSON.stringify(header)} is not a name of its own`;
      if (path.length === 0 || typeof data.type !== "string" || !PLAIN_TYPES.includes(data.type))
        return `${MARK} ${JSON.stringify(header)} is not on a text, a number or a boolean`;
      names.add(header.toLowerCase());
      params.push({ path, header });
    }
    for (const [name, value] of Object.entries(data.properties ?? {})) {
      const problem = visit(value, [...path, name]);
      if (problem !== null) return problem;
    }
    return null;
  };
  return visit(inputSchema, []) ?? params;
}

/** The headers that calls of one server's tools need, as its last list says (MCP 2026-07-28). */
export class ParamHeaders {
  readonly #byTool = new Map<string, readonly HeaderParam[]>();

  /** Reads a page of the list of tools. */
  learn(result: unknown): void {
    for (const { name, inputSchema } of Listed.safeParse(result).data?.tools ?? []) {
      const params = readHeaderParams(inputSchema);
      this.#byTool.set(name, typeof params === "string" ? [] : params);
    }
  }

  /** Returns name and value of each; an argument that is absent or null has none. */
  headersOf(tool: string, input: unknown): readonly (readonly [string, string])[] {
    return (this.#byTool.get(tool) ?? []).flatMap(({ path, header }) => {
      const value = valueAt(input, path);
      const isPlain = ["string", "number", "boolean"].includes(typeof value);
      return isPlain ? [[`mcp-param-${header}`, headerValue(String(value))] as const] : [];
    });
  }
}

/** As it is if a header can hold it, else in the protocol's own base64 form. */
export function headerValue(name: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith("=?base64?");
  return isPlain ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}
