import type { Clock } from "../lib/clock.ts";
import type { WebService } from "../tools/web.ts";
import type { OpenPages, PageModel } from "./open-pages.ts";
import { chooseProvider, type SearchSettings } from "./search/choose-provider.ts";

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
  const provider = chooseProvider(search, { env, hasServerSide });
  return {
    fetch: async (request, actor, signal) => (await pages()).ask(request, actor, signal),
    search:
      typeof provider === "string"
        ? null
        : async (request, actor, signal) => {
            const { runSearch } = await import("./search/run-search.ts");
            return await runSearch(provider, request, actor, { clock, model }, signal);
          },
    whyNoSearch: typeof provider === "string" ? provider : null,
    close: async () => (await opened)?.close(),
  };
}
