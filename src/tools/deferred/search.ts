import type { ToolDefinition } from "../../mailbox/conversation.ts";

/** What was found, the best first; `unknown`: selected names that do not exist. */
export interface FoundTools {
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
