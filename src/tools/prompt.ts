import type { ToolPrompt } from "./tool.ts";

/** The description a model gets, from the six answers every tool gives (A4.1). */
export function renderPrompt({ what, when, whenNot, how, recover, limits }: ToolPrompt): string {
  return [what, when, whenNot, how, recover, limits].join("\n\n");
}
