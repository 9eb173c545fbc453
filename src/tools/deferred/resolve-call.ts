import type { AgentTool } from "../../mailbox/messages.ts";

/** Calls a tool whose schema is not in the request. */
export const CALLER = "UseTool";
/** Shows the schemas of such tools. */
export const SEARCH = "ToolSearch";

/** A call as it is carried out: of the tool that is meant, with its own input. */
export interface ResolveCall<Tool> {
  readonly tool: Tool;
  readonly input: unknown;
}

type Named = Pick<AgentTool, "name" | "aliases" | "deferred">;

/**
 * What a call means: the tool of that name or, through the caller, a deferred one. Null: there is no such tool. Only a
 * deferred one: the others have rules by their names in a reply, before any of it runs.
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

/** The name that a call asks for, whether there is such a tool or not. */
export function nameAsked({ name, input }: { readonly name: string; readonly input: unknown }): string {
  return (name === CALLER ? innerOf(input)?.tool : undefined) ?? name;
}

/** What a call of the caller that means nothing is answered. */
export function whyNothing(input: unknown, offered: readonly Named[]): string {
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

/** Some models write an object within an object as a text. */
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
