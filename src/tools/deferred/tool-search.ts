import * as z from "zod/mini";
import type { ToolDefinition, ToolResultContent } from "../../mailbox/conversation.ts";
import { naming } from "../prompt.ts";
import { RESULT_CHARS } from "../result-size.ts";
import type { AgentCallContext, Tool } from "../tool.ts";
import { CALLER, SEARCH } from "./resolve-call.ts";
import { type FoundTools, searchTools } from "./search.ts";

const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 50;

const Input = z.strictObject({
  query: z
    .string()
    .check(
      z.describe(
        '"select:NAME,NAME" for tools whose names you know, or words; "+word" must occur (required)',
      ),
    ),
  max_results: z.optional(
    z
      .int()
      .check(
        z.minimum(1),
        z.maximum(MOST_RESULTS),
        z.describe(`How many tools at most (default ${DEFAULT_RESULTS})`),
      ),
  ),
});
type Input = z.infer<typeof Input>;

/** Shows the schemas of deferred tools (A3.31). */
export const toolSearchTool: Tool<Input, FoundTools, AgentCallContext> = {
  name: SEARCH,
  permissionLevel: "read",
  inputSchema: Input,
  description: {
    what: "Shows what deferred tools do and what input they take. You see only the names of deferred tools, so that their schemas do not fill this conversation.",
    when: [
      "before you use a deferred tool for the first time. Ask for all that you need in one call.",
      naming`Then call it with ${"UseTool"}.`,
    ],
    whenNot: "for tools that you already have, and for searching files or the web.",
    how: [
      "`query` is `select:` with names from the list of deferred tools, or words of what you want to do; the best matches come first.",
      "A word with a plus, as in `+github issue`, must occur in the name or the description.",
    ],
    recover: "An empty result means that no deferred tool fits: try other words, or do without one.",
    limits: `${DEFAULT_RESULTS} tools unless max_results says otherwise; all that are selected by name are shown.`,
  },
  title: ({ query }) => query,
  async call({ query, max_results = DEFAULT_RESULTS }, { deferred = [] }) {
    return searchTools(query, deferred, max_results);
  },
  mapToolResultToToolResultBlockParam: shownTools,
};

/** One line of JSON for each; a schema that is too long for a result is still shown if it is the only one. */
function shownTools({ tools, unknown, more }: FoundTools): ToolResultContent {
  let room = RESULT_CHARS;
  const lines = tools.map(lineOf).filter((line, at) => {
    room -= line.length;
    return at === 0 || room >= 0;
  });
  const left = more + tools.length - lines.length;
  const notes = [
    ...(lines.length === 0
      ? ["No deferred tool matches."]
      : [`Call these with ${CALLER}: tool is the name, input what input_schema asks for.`]),
    ...(unknown.length === 0 ? [] : [`Not among the deferred tools: ${unknown.join(", ")}.`]),
    ...(left > 0 ? [`${left} more would match: ask for them by narrower words or by select.`] : []),
  ];
  return [...lines, ...notes].join("\n");
}

function lineOf({ name, description, input_schema }: ToolDefinition): string {
  return JSON.stringify({ name, description, input_schema });
}
