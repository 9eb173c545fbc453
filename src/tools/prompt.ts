import type { ToolPrompt } from "./tool.ts";

/** The description the model gets: all six facets, each under words that say what it is for (A4.1). */
export function renderPrompt(prompt: ToolPrompt): string {
  return [
    prompt.what,
    `When to use it: ${prompt.when}`,
    `When not to: ${prompt.whenNot}`,
    `Arguments: ${prompt.how}`,
    `When it fails: ${prompt.recover}`,
    `Limits: ${prompt.limits}`,
  ].join("\n\n");
}
