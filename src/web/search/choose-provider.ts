import type { PageModel } from "../page-question.ts";
import type { AskPorts } from "./ask-json.ts";
import { BRAVE_URL, brave, searxng, TAVILY_URL, tavily } from "./engines.ts";
import type { SearchProvider } from "./search.ts";
import { serverSide } from "./server-side.ts";

/** What settings say of WebSearch. */
export interface SearchSettings {
  readonly provider?: "api" | "brave" | "tavily" | "searxng" | "off";
  /** Of the SearXNG instance, or of a server that speaks the provider's API. */
  readonly url?: string;
}

export interface ChoicePorts extends AskPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly model: PageModel;
  /** The model's endpoint is the API that has a search of its own. */
  readonly hasServerSide: boolean;
}

const HOW =
  "Set troupe.webSearch.provider to searxng (with troupe.webSearch.url), brave (with BRAVE_API_KEY), tavily (with TAVILY_API_KEY) or api.";

/** Who searches the web for a session, or why nobody does, as sentences. */
export function chooseProvider(
  { provider, url }: SearchSettings,
  ports: ChoicePorts,
): SearchProvider | string {
  const { env, model, hasServerSide } = ports;
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    return `troupe.webSearch.url is not an http or https URL: ${JSON.stringify(url.slice(0, 200))}.`;
  const at = (usual: string) => new URL(url ?? usual);
  const chosen = provider ?? (url !== undefined ? "searxng" : hasServerSide ? "api" : undefined);
  switch (chosen) {
    case undefined:
      return `No search provider is set, and this model's endpoint is not known to have one. ${HOW}`;
    case "off":
      return "troupe.webSearch.provider is off.";
    case "api":
      return serverSide(model);
    case "searxng":
      return url === undefined
        ? "troupe.webSearch.provider is searxng, but troupe.webSearch.url is not set."
        : searxng(at(url), ports);
    case "brave":
      return withKey("BRAVE_API_KEY", env, (key) => brave(at(BRAVE_URL), key, ports));
    case "tavily":
      return withKey("TAVILY_API_KEY", env, (key) => tavily(at(TAVILY_URL), key, ports));
    default:
      return chosen satisfies never;
  }
}

function withKey(
  name: string,
  env: ChoicePorts["env"],
  make: (key: string) => SearchProvider,
): SearchProvider | string {
  const key = env[name]?.trim();
  return key
    ? make(key)
    : `The search provider needs ${name} in the environment or under env in your settings.`;
}
