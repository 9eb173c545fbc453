import type { Clock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { FetchAnswer, FetchRequest } from "../tools/web/service.ts";
import { systemResolve } from "./guard.ts";
import { askAboutPage, MOST_PAGE_CHARS, type PageModel } from "./page-question.ts";
import { Pages } from "./pages.ts";

/** The pages of a session, and what a model says of them. */
export interface OpenPages {
  /** A string says why there is no answer. */
  ask(request: FetchRequest, actor: ActorId, signal: AbortSignal): Promise<FetchAnswer | string>;
  close(): Promise<void>;
}

export function openPages({
  model,
  ...ports
}: {
  readonly model: PageModel;
  readonly clock: Clock;
  readonly namesHost: (host: string) => boolean;
}): OpenPages {
  const pages = new Pages({ ...ports, resolve: systemResolve });
  return {
    ask: (request, actor, signal) => fetchAndAsk(pages, model, request, actor, signal),
    close: () => pages.close(),
  };
}

async function fetchAndAsk(
  pages: Pages,
  model: PageModel,
  { url, prompt }: FetchRequest,
  actor: ActorId,
  signal: AbortSignal,
): Promise<FetchAnswer | string> {
  const page = await pages.get(url, signal);
  if (page.type === "problem") return page.message;
  if (page.type === "redirect") return page;
  const asked = await askAboutPage({ page, question: prompt, actor }, model, signal);
  if (typeof asked === "string") return `The page was fetched, but no model read it: ${asked}`;
  return {
    ...{ type: "answer", url: page.url, title: page.title, text: asked.text },
    isKept: page.isKept ?? false,
    isCut: page.isCut || page.text.length > Math.min(MOST_PAGE_CHARS, model.pageChars),
  };
}
