import * as z from "zod/mini";
import { type AskPorts, askJson } from "./ask-json.ts";
import { withSites } from "./domains.ts";
import type { SearchAnswer, SearchHit, SearchProvider } from "./search.ts";

/** Results that are asked for. */
const MOST_HITS = 10;

const Text = z.catch(z.string(), "");
const SearxngAnswer = z.object({
  results: z.array(z.object({ url: z.string(), title: Text, content: Text })),
});
const BraveAnswer = z.object({
  web: z.optional(
    z.object({ results: z.array(z.object({ url: z.string(), title: Text, description: Text })) }),
  ),
});
const TavilyAnswer = SearxngAnswer;

export const BRAVE_URL = "https://api.search.brave.com/";
export const TAVILY_URL = "https://api.tavily.com/";

/** An instance of SearXNG; it must be set up to answer with JSON. */
export function searxng(base: URL, ports: AskPorts): SearchProvider {
  return {
    name: "SearXNG",
    async search(query, signal) {
      const url = under(base, "search");
      url.search = String(new URLSearchParams({ q: withSites(query), format: "json" }));
      const asked = await askJson({ url }, ports, signal);
      if ("message" in asked) {
        const hint = asked.message.includes("403")
          ? " An instance must allow the format json in its settings."
          : "";
        return { type: "problem", message: `${asked.message}${hint}` };
      }
      return answer(base, z.safeParse(SearxngAnswer, asked.json), ({ results }) =>
        results.map(({ url: hit, title, content }) => ({ url: hit, title, snippet: content })),
      );
    },
  };
}

export function brave(base: URL, key: string, ports: AskPorts): SearchProvider {
  return {
    name: "Brave",
    async search(query, signal) {
      const url = under(base, "res/v1/web/search");
      url.search = String(new URLSearchParams({ q: withSites(query), count: String(MOST_HITS) }));
      const headers = { accept: "application/json", "x-subscription-token": key };
      const asked = await askJson({ url, headers }, ports, signal);
      if ("message" in asked) return { type: "problem", message: asked.message };
      return answer(base, z.safeParse(BraveAnswer, asked.json), ({ web }) =>
        (web?.results ?? []).map(({ url: hit, title, description }) => ({
          ...{ url: hit, title, snippet: description },
        })),
      );
    },
  };
}

export function tavily(base: URL, key: string, ports: AskPorts): SearchProvider {
  return {
    name: "Tavily",
    async search({ query, allowed, blocked }, signal) {
      const asked = await askJson(
        {
          url: under(base, "search"),
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
          body: JSON.stringify({
            ...{ query, max_results: MOST_HITS },
            ...(allowed.length > 0 ? { include_domains: allowed } : {}),
            ...(blocked.length > 0 ? { exclude_domains: blocked } : {}),
          }),
        },
        ports,
        signal,
      );
      if ("message" in asked) return { type: "problem", message: asked.message };
      return answer(base, z.safeParse(TavilyAnswer, asked.json), ({ results }) =>
        results.map(({ url, title, content }) => ({ url, title, snippet: content })),
      );
    },
  };
}

function under(base: URL, path: string): URL {
  const whole = new URL(base);
  whole.pathname = `${base.pathname.replace(/\/+$/, "")}/${path}`;
  return whole;
}

function answer<T>(
  base: URL,
  parsed: { readonly success: true; readonly data: T } | { readonly success: false },
  read: (data: T) => SearchHit[],
): SearchAnswer {
  return parsed.success
    ? { type: "hits", hits: read(parsed.data) }
    : { type: "problem", message: `${base.host} answered with JSON that has no results in the known form.` };
}
