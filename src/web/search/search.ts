import type { ActorId } from "../../mailbox/ids.ts";

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  /** What the provider shows of the page; "" if nothing. */
  readonly snippet: string;
}

export interface SearchQuery {
  readonly query: string;
  /** Hosts, as `readDomain` writes them; each stands for its subdomains, too. */
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  /** Who asks, and pays for it. */
  readonly actor: ActorId;
}

export type SearchAnswer =
  | { readonly type: "hits"; readonly hits: readonly SearchHit[] }
  /** `message`: what happened and what to do. */
  | { readonly type: "problem"; readonly message: string };

/** Something that searches the web. It may ignore the domains: they are enforced on what it returns. */
export interface SearchProvider {
  /** As users know it. */
  readonly name: string;
  /** Rejects only if `signal` is aborted. */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
}
