import { oneOf, text } from "./checks.ts";
import { setting } from "./setting.ts";

/** Who can search the web. */
export type SearchProviderName = "api" | "brave" | "tavily" | "searxng" | "off";

/** Who searches the web for WebSearch. Not for a project's files: they would learn what is searched for. */
export const webCatalogue = {
  provider: setting(
    "troupe.webSearch.provider",
    oneOf<SearchProviderName>(["api", "brave", "tavily", "searxng", "off"]),
    {
      summary:
        "Who searches the web: the model's API itself, Brave (`BRAVE_API_KEY`), Tavily (`TAVILY_API_KEY`), or a SearXNG instance (`troupe.webSearch.url`). Without one, WebSearch is not offered. Not for a project's settings.",
      fallback: "`searxng` if there is a URL; `api` if the endpoint is Anthropic's own; else none",
      foreign: "never",
    },
  ),
  url: setting("troupe.webSearch.url", text("a URL"), {
    summary:
      "The address of the SearXNG instance, which must allow the format `json`; or of another server that speaks the provider's API. Not for a project's settings.",
    foreign: "never",
  }),
} as const;
