import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as z from "zod/mini";

const MAX_PAGES = 200;
/** The signal is what ends a request; a longer timer would fire at once. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface Pages {
  readonly items: readonly unknown[];
  /** There was more than `max`. */
  readonly more: boolean;
}

/** All pages of a list, bounded: a server may hand out pages for ever. */
export async function pagesOf(
  client: Client,
  method: string,
  key: string,
  max: number,
  signal: AbortSignal,
): Promise<Pages> {
  const Page = z.looseObject({ [key]: z.array(z.unknown()), nextCursor: z.optional(z.string()) });
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method, params }, Page, { signal, timeout: NO_TIMEOUT_MS });
    const found: unknown = answer[key];
    if (Array.isArray(found)) items.push(...found);
    if (items.length > max) return { items: items.slice(0, max), more: true };
    const next = answer["nextCursor"];
    if (typeof next !== "string" || next === cursor) return { items, more: false };
    cursor = next;
  }
  return { items, more: true };
}
