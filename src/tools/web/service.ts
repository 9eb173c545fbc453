import type { ActorId } from "../../mailbox/ids.ts";

export interface FetchRequest {
  readonly url: string;
  readonly prompt: string;
}

export interface SearchRequest {
  readonly query: string;
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
}

/** The answer of a page to a question, or the URL to which it redirects. */
export type FetchAnswer =
  | {
      readonly type: "answer";
      readonly url: string;
      readonly title: string;
      readonly text: string;
      readonly isKept: boolean;
      /** The model did not see all of it. */
      readonly isCut: boolean;
    }
  | { readonly type: "redirect"; readonly from: string; readonly to: string; readonly status: number };

export interface SearchHits {
  readonly query: string;
  readonly provider: string;
  readonly hits: readonly { readonly title: string; readonly url: string; readonly snippet: string }[];
}

/** The web. A string says why something is not possible; rejects only if `signal` is aborted. */
export interface WebService {
  fetch(request: FetchRequest, actor: ActorId, signal: AbortSignal): Promise<FetchAnswer | string>;
  /** Null if the session has no search provider. */
  readonly search:
    | ((request: SearchRequest, actor: ActorId, signal: AbortSignal) => Promise<SearchHits | string>)
    | null;
}
