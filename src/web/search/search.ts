import type { ActorId } from "../../mailbox/ids.ts";
import { fetchTarget } from "../../policy/engine/network-hosts.ts";
import type { SearchHits } from "../../tools/web/service.ts";
import type { FetchProblem } from "../fetch-error.ts";

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
