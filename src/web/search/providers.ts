import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import { parseJson } from "../../lib/json.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { fetchTarget } from "../../policy/engine/network-hosts.ts";
import type { SearchHits } from "../../tools/web.ts";
import { describeStatus, type FetchProblem, problem, withinTime } from "../fetch-error.ts";
import type { PageModel } from "../open-pages.ts";
import { sendRequest, type WebRequest } from "../request.ts";

export type SearchHit = SearchHits["hits"][number];

export interface SearchQuery {
  readonly query: string;
  /** Hosts, as `readDomain` writes them; each includes its subdomains. */
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  readonly actor: ActorId;
}

export type SearchAnswer = { readonly type: "hits"; readonly hits: readonly SearchHit[] } | FetchProblem;

/** Searches the web. A provider may ignore the domains: they are enforced on its results. */
export interface SearchProvider {
  readonly name: string;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
}

/** Returns a domain as a host, without a scheme, a leading `*.` or a path; null if it is not one. */
export function readDomain(written: string): string | null {
  const bare = written
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/^\*\./, "")
    .replace(/\/.*$/s, "");
  if (bare === "" || /[\s*?#@\\]/.test(bare)) return null;
  return fetchTarget(`https://${bare}/`).host;
}

/** Keeps pages of the web, each once, within the allowed domains; blocked ones win (A13.3). */
export function filterHits(
  hits: readonly SearchHit[],
  { allowed, blocked }: Pick<SearchQuery, "allowed" | "blocked">,
): SearchHit[] {
  const seen = new Set<string>();
  return hits.filter(({ url }) => {
    const { host, odd } = fetchTarget(url);
    if (odd !== null || host === null || seen.has(url)) return false;
    seen.add(url);
    const isIn = (domain: string) => host === domain || host.endsWith(`.${domain}`);
    return !blocked.some(isIn) && (allowed.length === 0 || allowed.some(isIn));
  });
}

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

const SYSTEM =
  "You run one web search for another program. Call web_search once with exactly the words you are given, whatever you know already, then answer with the single word: done.";
/** A model that thinks first needs some of them for that. */
const ANSWER_TOKENS = 8_000;
const OTHER = "The user can set troupe.webSearch.provider to another one.";

const SearchResults = z.object({
  type: z.literal("web_search_tool_result"),
  content: z.union([
    z.array(z.object({ url: z.string(), title: z.catch(z.string(), "") })),
    z.object({ error_code: z.string() }),
  ]),
});

/** Searches with the model's API itself, which runs the search while it answers. */
export function serverSide(model: PageModel): SearchProvider {
  return {
    name: "the model's API",
    async search({ query, allowed, blocked, actor }, signal) {
      const outcome = await model.ask(
        actor,
        {
          ...{ system: [SYSTEM], tools: [], maxTokens: ANSWER_TOKENS },
          messages: [{ role: "user", content: `Search the web for: ${query}` }],
          // The API takes one of the two lists.
          webSearch: allowed.length > 0 ? { allowed } : { blocked },
        },
        signal,
      );
      signal.throwIfAborted();
      if (outcome.type === "failure")
        return problem(`${outcome.failure.message} This endpoint may have no search of its own. ${OTHER}`);
      const contents = outcome.reply.content.flatMap((block) => {
        const { data } = z.safeParse(SearchResults, block);
        return data === undefined ? [] : [data.content];
      });
      if (contents.length === 0)
        return problem(`The API ran no search: this endpoint may have none. ${OTHER}`);
      const hits = contents.flatMap((content): SearchHit[] =>
        "error_code" in content ? [] : content.map(({ url, title }) => ({ url, title, snippet: "" })),
      );
      const failed = contents.find((content) => "error_code" in content);
      if (hits.length === 0 && failed !== undefined)
        return problem(`The API could not search: ${failed.error_code}.`);
      return { type: "hits", hits };
    },
  };
}
