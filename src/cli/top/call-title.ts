import { agentTools } from "../../tools/index.ts";

/** Returns what tells a call from others: the tool's own title for it, else the first text in the input. */
export function callTitle(tool: string, input: unknown): string {
  const known = agentTools.find(({ name, aliases }) => name === tool || aliases.includes(tool));
  const ready = known?.prepare(input);
  if (ready?.type === "ready") return ready.title;
  if (typeof input !== "object" || input === null) return "";
  return Object.values(input).find((value) => typeof value === "string" && value.trim() !== "") ?? "";
}
