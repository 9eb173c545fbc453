import type { EngineName } from "./providers.ts";

export interface SearchSettings {
  readonly provider?: "api" | "brave" | "tavily" | "searxng" | "off";
  /** Of the SearXNG instance, or of a server that speaks the provider's API. */
  readonly url?: string;
}

/** `api`: the model's API itself. An engine is asked at `base`, which no rule needs to allow. */
export type ChosenProvider =
  | { readonly type: "api" }
  | { readonly type: "engine"; readonly engine: EngineName; readonly base: URL; readonly key: string };

export interface ChoicePorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the model's endpoint is the API that has a search of its own. */
  readonly hasServerSide: boolean;
}

/** Where each engine is, unless settings say it, and the variable that holds its key. */
const ENGINES: Readonly<Record<EngineName, { readonly url?: string; readonly key?: string }>> = {
  searxng: {},
  brave: { url: "https://api.search.brave.com/", key: "BRAVE_API_KEY" },
  tavily: { url: "https://api.tavily.com/", key: "TAVILY_API_KEY" },
};

const HOW =
  "Set troupe.webSearch.provider to searxng (with troupe.webSearch.url), brave (with BRAVE_API_KEY), tavily (with TAVILY_API_KEY) or api.";

/** Returns the search provider of a session, or sentences that say why it has no search. */
export function chooseProvider(
  { provider, url }: SearchSettings,
  { env, hasServerSide }: ChoicePorts,
): ChosenProvider | string {
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    return `troupe.webSearch.url is not an http or https URL: ${JSON.stringify(url.slice(0, 200))}.`;
  const chosen = provider ?? (url !== undefined ? "searxng" : hasServerSide ? "api" : undefined);
  switch (chosen) {
    case undefined:
      return `No search provider is set, and this model's endpoint is not known to have one. ${HOW}`;
    case "off":
      return "troupe.webSearch.provider is off.";
    case "api":
      return { type: "api" };
    case "searxng":
    case "brave":
    case "tavily": {
      const engine = ENGINES[chosen];
      const base = url ?? engine.url;
      if (base === undefined)
        return `troupe.webSearch.provider is ${chosen}, but troupe.webSearch.url is not set.`;
      const key = engine.key === undefined ? "" : env[engine.key]?.trim();
      if (engine.key !== undefined && !key)
        return `The search provider needs ${engine.key} in the environment or under env in your settings.`;
      return { type: "engine", engine: chosen, base: new URL(base), key: key ?? "" };
    }
    default:
      return chosen satisfies never;
  }
}
