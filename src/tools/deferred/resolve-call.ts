import type { AgentTool } from "../../mailbox/messages.ts";

/** Calls a tool whose schema is not in the request. */
export const CALLER = "UseTool";
/** Shows the schemas of such tools. */
export const SEARCH = "ToolSearch";

/** A call of the tool that is meant, with its own input. */
export interface ResolveCall<Tool> {
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
  return { tool: input.tool, input: "input" in input ? unpacked(input.input) : {} };
}

/** Some models write the inner object as a string. */
function unpacked(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function named<Tool extends Named>(name: string, offered: readonly Tool[]): Tool | undefined {
  return offered.find((tool) => tool.name === name || tool.aliases.includes(name));
}
