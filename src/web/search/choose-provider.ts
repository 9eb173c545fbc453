import type { Clock } from "../../mailbox/clock.ts";
import type { PageModel } from "../page-question.ts";
import { engineProvider, engines, type SearchEngine } from "./engines.ts";
import type { SearchProvider } from "./search.ts";
import { serverSide } from "./server-side.ts";

/** The settings of WebSearch. */
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
