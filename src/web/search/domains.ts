import { fetchTarget } from "../../policy/engine/network-hosts.ts";
import type { SearchHit, SearchQuery } from "./search.ts";

/** A domain as a host, without a scheme, a leading `*.` or a path; null if it is not one. */
export function readDomain(written: string): string | null {
  const bare = written
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/^\*\./, "")
    .replace(/\/.*$/s, "");
  if (bare === "" || /[\s*?#@\\]/.test(bare)) return null;
  return fetchTarget(`https://${bare}/`).host;
}

/** Keeps what may be told: pages of the web, none twice, within the allowed domains; blocked ones win (A13.3). */
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

/** More of them only make the query longer than providers take. */
const MOST_SITES = 5;

/** The query with the domains in the words that search engines know. */
export function withSites({ query, allowed, blocked }: SearchQuery): string {
  const sites = allowed.slice(0, MOST_SITES).map((domain) => `site:${domain}`);
  const without = blocked.slice(0, MOST_SITES).map((domain) => `-site:${domain}`);
  const only = sites.length > 1 ? [`(${sites.join(" OR ")})`] : sites;
  return [query, ...only, ...without].join(" ");
}
