import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod/mini";

/** The version without a handshake: each request says all that a server must know. */
export const STATELESS = "2026-07-28";

const Named = z.object({
  method: z.string(),
  params: z.optional(z.object({ name: z.optional(z.string()), uri: z.optional(z.string()) })),
});

/** Adds the headers by which proxies can route requests of the stateless protocol without reading their bodies. */
export function statelessFetch(fetch: FetchLike): FetchLike {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    if (headers.get("mcp-protocol-version") !== STATELESS || typeof init?.body !== "string")
      return fetch(url, init);
    const { data } = Named.safeParse(JSON.parse(init.body));
    if (data === undefined) return fetch(url, init);
    headers.set("mcp-method", data.method);
    const name = data.params?.name ?? data.params?.uri;
    if (name !== undefined) headers.set("mcp-name", headerValue(name));
    return fetch(url, { ...init, headers });
  };
}

/** As it is if a header can hold it, else in the protocol's own base64 form. */
function headerValue(name: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith("=?base64?");
  return isPlain ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}
