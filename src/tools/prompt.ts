import type { Facet, NamesTools, ToolPrompt } from "./tool.ts";

/** The tools an agent is given. */
export interface Offered {
  has(tool: string): boolean;
}

/** For lists and documents, which are for no particular agent. */
export const everyTool: Offered = { has: () => true };

/**
 * A sentence that names other tools, which are the interpolations. It is left out if the agent does not have one of them,
 * so that no prompt sends a model to a tool it does not have (A4.2).
 */
export function naming(text: TemplateStringsArray, ...tools: readonly string[]): NamesTools {
  return { tools, text: String.raw({ raw: text }, ...tools) };
}

/** Returns the description for the model: all six parts, each with a heading (A4.1). */
export function renderPrompt(prompt: ToolPrompt, offered: Offered = everyTool): string {
  const text = (facet: Facet) => facetText(facet, offered);
  return [
    text(prompt.what),
    `When to use it: ${text(prompt.when)}`,
    `When not to: ${text(prompt.whenNot)}`,
    `Arguments: ${text(prompt.how)}`,
    `When it fails: ${text(prompt.recover)}`,
    `Limits: ${text(prompt.limits)}`,
  ].join("\n\n");
}

/** Joins sentences; one that begins with `- ` gets its own line. */
export function facetText(facet: Facet, offered: Offered): string {
  if (typeof facet === "string") return facet;
  const parts = facet
    .filter((part) => typeof part === "string" || part.tools.every((tool) => offered.has(tool)))
    .map((part) => (typeof part === "string" ? part : part.text));
  const isLine = (part: string | undefined) => part?.startsWith("- ") ?? false;
  return parts.map((part, at) => `${gap(at, isLine(parts[at - 1]) || isLine(part))}${part}`).join("");
}

function gap(at: number, isNewLine: boolean): string {
  if (at === 0) return "";
  return isNewLine ? "\n" : " ";
}
