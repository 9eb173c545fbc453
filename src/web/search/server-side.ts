import * as z from "zod/mini";
import { problem } from "../fetch-error.ts";
import type { PageModel } from "../page-question.ts";
import type { SearchHit, SearchProvider } from "./search.ts";

const SYSTEM =
  "You run one web search for another program. Call web_search once with exactly the words you are given, whatever you know already, then answer with the single word: done.";
/** A model that thinks first needs some of them for that. */
const ANSWER_TOKENS = 8_000;
const OTHER = "The user can set troupe.webSearch.provider to another one.";

const Results = z.object({
  type: z.literal("web_search_tool_result"),
  content: z.union([
    z.array(z.object({ url: z.string(), title: z.catch(z.string(), "") })),
    z.object({ error_code: z.string() }),
  ]),
});

/** Searches with the model's API itself, which runs the search while it answers. */
export function serverSide(model: PageModel): SearchProvider {
  return {
    name: "the model's API",
    async search({ query, allowed, blocked, actor }, signal) {
      const outcome = await model.ask(
        actor,
        {
          ...{ system: [SYSTEM], tools: [], maxTokens: ANSWER_TOKENS },
          messages: [{ role: "user", content: `Search the web for: ${query}` }],
          // The API takes one of the two lists.
          webSearch: allowed.length > 0 ? { allowed } : { blocked },
        },
        signal,
      );
      signal.throwIfAborted();
      if (outcome.type === "failure")
        return problem(`${outcome.failure.message} This endpoint may have no search of its own. ${OTHER}`);
      const contents = outcome.reply.content.flatMap((block) => {
        const { data } = z.safeParse(Results, block);
        return data === undefined ? [] : [data.content];
      });
      if (contents.length === 0)
        return problem(`The API ran no search: this endpoint may have none. ${OTHER}`);
      const hits = contents.flatMap((content): SearchHit[] =>
        "error_code" in content ? [] : content.map(({ url, title }) => ({ url, title, snippet: "" })),
      );
      const failed = contents.find((content) => "error_code" in content);
      if (hits.length === 0 && failed !== undefined)
        return problem(`The API could not search: ${failed.error_code}.`);
      return { type: "hits", hits };
    },
  };
}
