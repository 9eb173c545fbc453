import * as z from "zod/mini";
import type { ToolDefinition, ToolResultContent } from "../../mailbox/conversation.ts";
import { naming } from "../prompt.ts";
import { RESULT_CHARS } from "../result-size.ts";
import type { AgentCallContext, Tool } from "../tool.ts";
import { CALLER, SEARCH } from "./resolve-call.ts";

/** What was found, the best first; `unknown`: selected names that do not exist. */
interface FoundTools {
  readonly tools: readonly ToolDefinition[];
  readonly unknown: readonly string[];
  /** How many more there are. */
  readonly more: number;
}

const SELECT = /^\s*select\s*:/i;

/** Searches by name (`select:A,B`) or by words; one with a plus must occur (A3.31). */
export function searchTools(query: string, tools: readonly ToolDefinition[], most: number): FoundTools {
  if (SELECT.test(query)) return selected(query.replace(SELECT, ""), tools);
  const words = query
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((word) => word.replace(/^\+/, "") !== "");
  const wanted = words.map((word) => word.replace(/^\+/, ""));
  const must = words.filter((word) => word.startsWith("+")).map((word) => word.slice(1));
  const ranked = tools
    .map((tool) => ({ tool, ...scored(tool, wanted, must) }))
    .filter(({ score, hasAll }) => hasAll && score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
  return {
    tools: ranked.slice(0, most).map(({ tool }) => tool),
    unknown: [],
    more: Math.max(0, ranked.length - most),
  };
}

function selected(list: string, tools: readonly ToolDefinition[]): FoundTools {
  const names = [...new Set(list.split(/[\s,;]+/).filter((name) => name !== ""))];
  const found = names.map((name) => ({
    name,
    tool:
      tools.find((tool) => tool.name === name) ??
      tools.find((tool) => tool.name.toLowerCase() === name.toLowerCase()),
  }));
  return {
    tools: found.flatMap(({ tool }) => tool ?? []),
    unknown: found.flatMap(({ name, tool }) => (tool ? [] : [name])),
    more: 0,
  };
}

/** A word in the name counts more than one in the description, and that more than one in the schema. */
function scored(tool: ToolDefinition, wanted: readonly string[], must: readonly string[]) {
  const name = tool.name.toLowerCase();
  const parts = new Set(partsOf(tool.name));
  const description = tool.description.toLowerCase();
  const fields = Object.keys(propertiesOf(tool)).join(" ").toLowerCase();
  const worth = (word: string) => {
    if (name === word) return 100;
    const inName = parts.has(word) ? 12 : name.includes(word) ? 6 : 0;
    return inName + (description.includes(word) ? 3 : 0) + (fields.includes(word) ? 1 : 0);
  };
  return {
    score: wanted.reduce((sum, word) => sum + worth(word), 0),
    hasAll: must.every((word) => name.includes(word) || description.includes(word)),
  };
}

/** `mcp__git_hub__createIssue`: mcp, git, hub, create, issue. */
function partsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "");
}

function propertiesOf({ input_schema }: ToolDefinition): object {
  const { properties } = input_schema;
  return typeof properties === "object" && properties !== null ? properties : {};
}

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
