import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import { problem } from "../fetch-error.ts";
import type { PageModel } from "../page-question.ts";
import { engineProvider, engines, type SearchEngine } from "./engines.ts";
import type { SearchHit, SearchProvider } from "./search.ts";

export interface SearchSettings {
  readonly provider?: "api" | "brave" | "tavily" | "searxng" | "off";
  /** Of the SearXNG instance, or of a server that speaks the provider's API. */
  readonly url?: string;
}

export interface ChoicePorts {
  readonly clock: Pick<Clock, "after">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly model: PageModel;
  /** True if the model's endpoint is the API that has a search of its own. */
  readonly hasServerSide: boolean;
}

const HOW =
  "Set troupe.webSearch.provider to searxng (with troupe.webSearch.url), brave (with BRAVE_API_KEY), tavily (with TAVILY_API_KEY) or api.";

/** Returns the search provider of a session, or sentences that say why it has no search. */
export function chooseProvider(
  { provider, url }: SearchSettings,
  { clock, env, model, hasServerSide }: ChoicePorts,
): SearchProvider | string {
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    return `troupe.webSearch.url is not an http or https URL: ${JSON.stringify(url.slice(0, 200))}.`;
  const chosen = provider ?? (url !== undefined ? "searxng" : hasServerSide ? "api" : undefined);
  switch (chosen) {
    case undefined:
      return `No search provider is set, and this model's endpoint is not known to have one. ${HOW}`;
    case "off":
      return "troupe.webSearch.provider is off.";
    case "api":
      return serverSide(model);
    case "searxng":
    case "brave":
    case "tavily": {
      const engine: SearchEngine = engines[chosen];
      const base = url ?? engine.url;
      if (base === undefined)
        return `troupe.webSearch.provider is ${chosen}, but troupe.webSearch.url is not set.`;
      const key = engine.key === undefined ? "" : env[engine.key]?.trim();
      if (engine.key !== undefined && !key)
        return `The search provider needs ${engine.key} in the environment or under env in your settings.`;
      return engineProvider(engine, new URL(base), key ?? "", clock);
    }
    default:
      return chosen satisfies never;
  }
}

const SYSTEM =
  "You run one web search for another program. Search once for exactly the words you are given, then answer with the single word: done.";
const ANSWER_TOKENS = 1_024;
const OTHER = "The user can set troupe.webSearch.provider to another one.";

const Results = z.object({
  type: z.literal("web_search_tool_result"),
  content: z.union([
    z.array(z.object({ url: z.string(), title: z.catch(z.string(), "") })),
    z.object({ error_code: z.string() }),
  ]),
});

/** Searches with the model's API itself, which runs the search while it answers. */
function serverSide(model: PageModel): SearchProvider {
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
        const { data } = z.safeParse(Results, block);
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
