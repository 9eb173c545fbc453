import * as z from "zod/mini";
import type { PageModel } from "../page-question.ts";
import type { SearchHit, SearchProvider } from "./search.ts";

const SYSTEM =
  "You run one web search for another program. Search once for exactly the words you are given, then answer with the single word: done.";
const ANSWER_TOKENS = 1_024;

const Results = z.object({
  type: z.literal("web_search_tool_result"),
  content: z.union([
    z.array(z.object({ url: z.string(), title: z.catch(z.string(), "") })),
    z.object({ error_code: z.string() }),
  ]),
});

/** The search of the API itself, which its endpoint runs while it answers. */
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
        return {
          type: "problem",
          message: `${outcome.failure.message} If this endpoint has no search of its own, the user can set troupe.webSearch.provider to another one.`,
        };
      const blocks = outcome.reply.content.flatMap((block) => {
        const parsed = z.safeParse(Results, block);
        return parsed.success ? [parsed.data.content] : [];
      });
      const hits = blocks.flatMap((content): SearchHit[] =>
        "error_code" in content ? [] : content.map(({ url, title }) => ({ url, title, snippet: "" })),
      );
      const [failed] = blocks.flatMap((content) => ("error_code" in content ? [content.error_code] : []));
      if (hits.length === 0 && failed !== undefined)
        return { type: "problem", message: `The API could not search: ${failed}.` };
      if (blocks.length === 0)
        return {
          type: "problem",
          message:
            "The API ran no search: this endpoint may have none. The user can set troupe.webSearch.provider to another one.",
        };
      return { type: "hits", hits };
    },
  };
}
