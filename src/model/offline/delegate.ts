import { defaultTitle } from "../../lib/text.ts";
import { instructionsIn } from "./instructions.ts";
import type { OfflinePlan } from "./plan.ts";
import { change, type OfflineTools } from "./tools.ts";

/** Gives a question to an agent. */
export function* delegate(task: string, tools: OfflineTools): OfflinePlan {
  const { ok, text } = yield* change(tools, "Agent", agentInput(task));
  if (!ok) return { ok, text: `This agent failed: ${text.trim()}` };
  // The runtime's own line comes before the report.
  const header = /^\[[^\n]*\bended: (\w+)\b[^\n]*\]\n/;
  const report = text.replace(header, "").trim() || "The agent ended without a report.";
  return { ok: (header.exec(text)?.[1] ?? "done") === "done", text: report };
}

/** The description is three to five words by which the user recognises the task in a list. */
export function agentInput(task: string) {
  const isShort = task.trim().split(/\s+/, 3).length < 3;
  const subagent_type = instructionsIn(task) === undefined ? "Explore" : "general-purpose";
  return { description: defaultTitle(isShort ? `Look up: ${task}` : task), prompt: task, subagent_type };
}
