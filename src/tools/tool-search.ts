import * as z from "zod/mini";
import { fieldsOf, parseJson } from "../lib/json.ts";
import type { ToolDefinition, ToolResultContent } from "../mailbox/conversation.ts";
import type { AgentTool } from "../mailbox/messages.ts";
import { type AgentCallContext, failed, naming, RESULT_CHARS, type Tool, type ToolFailure } from "./tool.ts";

/** Calls a tool whose schema is not in the request. */
export const CALLER = "UseTool";
/** Shows the schemas of such tools. */
export const SEARCH = "ToolSearch";

/** A call of the tool that is meant, with its own input. */
interface ResolveCall<Tool> {
  readonly tool: Tool;
  readonly input: unknown;
}

type Named = Pick<AgentTool, "name" | "aliases" | "deferred">;

/**
 * Returns the tool of that name or, for a call of UseTool, the deferred one it names; null if there is no such tool.
 * UseTool calls only deferred tools: others are ordered by their names in a reply.
 */
export function resolveCall<Tool extends Named>(
  { name, input }: { readonly name: string; readonly input: unknown },
  offered: readonly Tool[],
): ResolveCall<Tool> | null {
  const tool = named(name, offered);
  if (tool?.name !== CALLER) return tool ? { tool, input } : null;
  const inner = innerOf(input);
  const other = inner && named(inner.tool, offered);
  return inner && other?.deferred ? { tool: other, input: inner.input } : null;
}

/** Returns the name that a call asks for, whether there is such a tool or not. */
export function nameOfCall({ name, input }: { readonly name: string; readonly input: unknown }): string {
  return (name === CALLER ? innerOf(input)?.tool : undefined) ?? name;
}

/** Returns why a call of UseTool means nothing. */
export function unresolvedCall(input: unknown, offered: readonly Named[]): string {
  const inner = innerOf(input);
  if (inner === null)
    return `Invalid input for ${CALLER}: tool must be the name of a deferred tool, input the object that its schema asks for.`;
  const other = named(inner.tool, offered);
  if (other) return `${other.name} is not deferred: call it by its own name.`;
  return `There is no deferred tool named ${JSON.stringify(inner.tool)}. Find its name with ${SEARCH}.`;
}

function innerOf(input: unknown): { tool: string; input: unknown } | null {
  if (typeof input !== "object" || input === null || !("tool" in input) || typeof input.tool !== "string")
    return null;
  const inner = "input" in input ? input.input : {};
  // Some models write the inner object as a string.
  return { tool: input.tool, input: typeof inner === "string" ? (parseJson(inner) ?? inner) : inner };
}

function named<Tool extends Named>(name: string, offered: readonly Tool[]): Tool | undefined {
  return offered.find((tool) => tool.name === name || tool.aliases.includes(name));
}

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
  const fields = Object.keys(fieldsOf(tool.input_schema["properties"])).join(" ").toLowerCase();
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

const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 50;

const ToolSearchInput = z.strictObject({
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
type ToolSearchInput = z.infer<typeof ToolSearchInput>;

/** Shows the schemas of deferred tools (A3.31). */
export const toolSearchTool: Tool<ToolSearchInput, FoundTools, AgentCallContext> = {
  name: SEARCH,
  permissionLevel: "read",
  inputSchema: ToolSearchInput,
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
  const lines = tools
    .map(({ name, description, input_schema }) => JSON.stringify({ name, description, input_schema }))
    .filter((line, at) => {
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

const UseToolInput = z.strictObject({
  tool: z.string().check(z.describe("Name of a deferred tool (required)")),
  input: z.optional(z.record(z.string(), z.unknown()).check(z.describe("What its input_schema asks for"))),
});
type UseToolInput = z.infer<typeof UseToolInput>;

/**
 * Calls every tool that is not in the request, so that the request stays the same bytes whatever a search finds
 * (docs/decisions/0025). `resolveCall` turns a call of it into a call of the tool it names, so what arrives here is wrong.
 */
export const useToolTool: Tool<UseToolInput, ToolFailure, AgentCallContext> = {
  name: CALLER,
  permissionLevel: "read",
  inputSchema: UseToolInput,
  description: {
    what: "Calls a deferred tool. It runs, and is allowed or not, as if you had called it by its own name.",
    when: ["when you know the schema of a deferred tool.", naming`${"ToolSearch"} shows it.`],
    whenNot: "for tools that you already have: call those by their names.",
    how: "`tool` is its name; `input` is an object that fits its input_schema, not a text.",
    recover: [
      "A result about invalid input names what is wrong: correct it and call again.",
      naming`Look at the schema again with ${"ToolSearch"}.`,
    ],
    limits: "those of the tool that is called.",
  },
  title: ({ tool }) => tool,
  async call(input) {
    return failed(unresolvedCall(input, []));
  },
  mapToolResultToToolResultBlockParam: ({ message }) => message,
};
