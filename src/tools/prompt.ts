import type { Facet, NamesTools, ToolPrompt } from "./tool.ts";

/** The tools an agent is given. */
export interface Offered {
  has(tool: string): boolean;
}

/** As if there were every tool: for lists and documents, where no agent is asked for. */
export const everyTool: Offered = { has: () => true };

/**
 * A sentence that speaks of other tools; their names are the interpolations. It is left out where one of them is
 * not offered, so that no prompt sends a model to a tool it does not have (A4.2).
 */
export function naming(text: TemplateStringsArray, ...tools: readonly string[]): NamesTools {
  return { tools, text: String.raw({ raw: text }, ...tools) };
}

/** The description the model gets: all six facets, each under words that say what it is for (A4.1). */
export function renderPrompt(prompt: ToolPrompt, offered: Offered = everyTool): string {
  const told = (facet: Facet) => facetText(facet, offered);
  return [
    told(prompt.what),
    `When to use it: ${told(prompt.when)}`,
    `When not to: ${told(prompt.whenNot)}`,
    `Arguments: ${told(prompt.how)}`,
    `When it fails: ${told(prompt.recover)}`,
    `Limits: ${told(prompt.limits)}`,
  ].join("\n\n");
}

/** Sentences follow each other; one that begins with `- ` stands on a line of its own. */
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
