import type { Clock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { SearchHits, SearchRequest, WebService } from "../tools/web/desk.ts";
import type { OpenPages } from "./open-pages.ts";
import type { PageModel } from "./page-question.ts";
import { chooseProvider, type SearchSettings } from "./search/choose-provider.ts";
import { filterHits, readDomain, type SearchProvider } from "./search/search.ts";

export interface WebOptions {
  readonly search: SearchSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the model's endpoint is the API that has a search of its own. */
  readonly hasServerSide: boolean;
  readonly model: PageModel;
  readonly clock: Clock;
  /** True if a rule allows this very host or address. */
  readonly namesHost: (host: string) => boolean;
}

/** Opens the web of a session, shared by its agents. Starts no thread before the first page. */
export function openWeb({ search, env, hasServerSide, model, clock, namesHost }: WebOptions): WebService & {
  /** Sentences that say why WebSearch is not offered; null if it is. */
  readonly whyNoSearch: string | null;
  close(): Promise<void>;
} {
  let opened: Promise<OpenPages> | null = null;
  const pages = () => {
    opened ??= import("./open-pages.ts").then(({ openPages }) => openPages({ clock, namesHost, model }));
    return opened;
  };
  const provider = chooseProvider(search, { clock, env, model, hasServerSide });
  return {
    fetch: async (request, actor, signal) => (await pages()).ask(request, actor, signal),
    search:
      typeof provider === "string"
        ? null
        : (request, actor, signal) => searchWith(provider, request, actor, signal),
    whyNoSearch: typeof provider === "string" ? provider : null,
    close: async () => (await opened)?.close(),
  };
}

async function searchWith(
  provider: SearchProvider,
  { query, allowedDomains, blockedDomains }: SearchRequest,
  actor: ActorId,
  signal: AbortSignal,
): Promise<SearchHits | string> {
  const odd = [...allowedDomains, ...blockedDomains].find((domain) => readDomain(domain) === null);
  if (odd !== undefined)
    return `${JSON.stringify(odd.slice(0, 200))} is not a domain. Write it as example.com, and search again.`;
  const [allowed, blocked] = [allowedDomains, blockedDomains].map((domains) =>
    domains.flatMap((domain) => readDomain(domain) ?? []),
  ) as [string[], string[]];
  const found = await provider.search({ query, allowed, blocked, actor }, signal);
  if (found.type === "problem") return `Nothing was searched with ${provider.name}: ${found.message}`;
  return { query, provider: provider.name, hits: filterHits(found.hits, { allowed, blocked }) };
}
