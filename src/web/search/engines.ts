import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import { parseJson } from "../../lib/json.ts";
import { describeStatus, problem, withinTime } from "../fetch-error.ts";
import { sendRequest, type WebRequest } from "../request.ts";
import type { SearchAnswer, SearchHit, SearchProvider, SearchQuery } from "./search.ts";

const SEARCH_MS = 30_000;
const MOST_HITS = 10;
/** Of each list: more would make the query longer than providers accept. */
const MOST_SITES = 5;
const MOST_ERROR = 20_000;

const Text = z.catch(z.string(), "");
const Results = z.array(z.object({ url: z.string(), title: Text, content: Text, description: Text }));
const Answer = z.object({ results: Results });
const BraveAnswer = z.object({ web: z.catch(Answer, { results: [] }) });

export type EngineName = keyof typeof ENGINES;

/** One search service: how it is asked, and where its results are. */
interface SearchEngine {
  readonly name: string;
  readonly hints?: Readonly<Record<number, string>>;
  request(base: URL, query: SearchQuery, key: string): Omit<WebRequest, "signal">;
  readonly answer: z.ZodMiniType<z.infer<typeof Answer>>;
}

const ENGINES = {
  searxng: {
    name: "SearXNG",
    hints: { 403: " An instance must allow the format json in its settings." },
    request: (base, query) => ({ url: address(base, "search", { q: withSites(query), format: "json" }) }),
    answer: Answer,
  },
  brave: {
    name: "Brave",
    request: (base, query, key) => ({
      url: address(base, "res/v1/web/search", { q: withSites(query), count: String(MOST_HITS) }),
      headers: { accept: "application/json", "x-subscription-token": key },
    }),
    answer: z.pipe(
      BraveAnswer,
      z.transform(({ web }) => web),
    ),
  },
  tavily: {
    name: "Tavily",
    request: (base, { query, allowed, blocked }, key) => ({
      url: address(base, "search"),
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        ...{ query, max_results: MOST_HITS },
        ...(allowed.length > 0 ? { include_domains: allowed } : {}),
        ...(blocked.length > 0 ? { exclude_domains: blocked } : {}),
      }),
    }),
    answer: Answer,
  },
} satisfies Record<string, SearchEngine>;

/** Searches with a service at an address from settings, which no rule needs to allow. */
export function engineProvider(
  { engine: name, base, key }: { readonly engine: EngineName; readonly base: URL; readonly key: string },
  clock: Pick<Clock, "after">,
): SearchProvider {
  const engine: SearchEngine = ENGINES[name];
  const search = async (query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> => {
    const request = engine.request(base, query, key);
    const { status, headers, body } = await sendRequest({ ...request, signal });
    const text = body.toString("utf8");
    if (status !== 200) {
      const header = (name: string) => [headers[name]].flat()[0];
      const why = describeStatus(status, { url: base, body: text.slice(0, MOST_ERROR), header });
      return problem(`${why}${engine.hints?.[status] ?? ""}`);
    }
    const hits = readHits(engine, text);
    return typeof hits === "string" ? problem(`${base.host} ${hits}.`) : { type: "hits", hits };
  };
  return {
    name: engine.name,
    search: (query, signal) =>
      withinTime(
        {
          ms: SEARCH_MS,
          clock,
          url: base,
          late: `${base.host} did not answer within ${SEARCH_MS / 1000} s.`,
        },
        signal,
        (either) => search(query, either),
      ),
  };
}

/** Returns what is wrong with the answer as a string. */
function readHits({ answer }: SearchEngine, text: string): readonly SearchHit[] | string {
  const json = parseJson(text);
  if (json === undefined) return "did not answer with JSON";
  const { data } = z.safeParse(answer, json);
  return (
    data?.results.map(({ url, title, content, description }) => ({
      ...{ url, title, snippet: content || description },
    })) ?? "answered with JSON that has no results in the known form"
  );
}

function address(base: URL, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, "")}/${path}`;
  url.search = String(new URLSearchParams(query));
  return url;
}

/** Writes the domains as search engines understand them. */
function withSites({ query, allowed, blocked }: SearchQuery): string {
  const sites = allowed.slice(0, MOST_SITES).map((domain) => `site:${domain}`);
  const without = blocked.slice(0, MOST_SITES).map((domain) => `-site:${domain}`);
  const only = sites.length > 1 ? [`(${sites.join(" OR ")})`] : sites;
  return [query, ...only, ...without].join(" ");
}
