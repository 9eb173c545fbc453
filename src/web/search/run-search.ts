import type { Clock } from "../../lib/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { SearchHits, SearchRequest } from "../../tools/web.ts";
import type { PageModel } from "../open-pages.ts";
import type { ChosenProvider } from "./choose-provider.ts";
import { engineProvider, filterHits, readDomain, serverSide } from "./providers.ts";

export interface SearchPorts {
  readonly clock: Pick<Clock, "after">;
  readonly model: PageModel;
}

/** Searches the web. Returns why nothing was found as a sentence. */
export async function runSearch(
  chosen: ChosenProvider,
  { query, allowedDomains, blockedDomains }: SearchRequest,
  actor: ActorId,
  { clock, model }: SearchPorts,
  signal: AbortSignal,
): Promise<SearchHits | string> {
  const odd = [...allowedDomains, ...blockedDomains].find((domain) => readDomain(domain) === null);
  if (odd !== undefined)
    return `${JSON.stringify(odd.slice(0, 200))} is not a domain. Write it as example.com, and search again.`;
  const [allowed, blocked] = [allowedDomains, blockedDomains].map((domains) =>
    domains.flatMap((domain) => readDomain(domain) ?? []),
  ) as [string[], string[]];
  const provider = chosen.type === "api" ? serverSide(model) : engineProvider(chosen, clock);
  const found = await provider.search({ query, allowed, blocked, actor }, signal);
  if (found.type === "problem") return `Nothing was searched with ${provider.name}: ${found.message}`;
  return { query, provider: provider.name, hits: filterHits(found.hits, { allowed, blocked }) };
}
