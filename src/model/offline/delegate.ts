import { shorten } from "../../lib/text.ts";
import { instructionsIn } from "./instructions.ts";
import type { OfflinePlan, PlanResult } from "./plan.ts";
import type { OfflineTools } from "./tools.ts";

/** Gives a question to an agent. */
export function* delegate(task: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [outcome] = yield [{ tool: tools.find("Agent") ?? "Agent", input: agentInput(task), shared: false }];
  const { type = "not-asked", text = "", parts = [] } = outcome ?? {};
  const failed = type === "error" ? "This agent failed" : "This was not asked";
  if (type !== "result") return { ok: false, text: `${failed}: ${text.trim()}` };
  // The runtime's own line comes before the report, in a block of its own.
  const [header = "", ...report] = parts;
  const said = (report.length > 0 ? report.join("\n") : header).trim();
  const ok = report.length === 0 || /^\[[^\n]*\bended: done\b/.test(header);
  return { ok, text: said === "" ? "The agent ended without a report." : said };
}

/** The description is three to five words by which the user recognises the task in a list. */
export function agentInput(task: string) {
  const words = task.slice(0, 2_000).match(/[^\s"“”`'?!.,]+/g) ?? [];
  const isFiller = (word: string) => /^(?:the|an?|of|is|are|do|does|please|in|to|and)$/i.test(word);
  const telling = words.filter((word) => !isFiller(word)).map((word) => shorten(word, 24));
  const description = [...(telling.length >= 3 ? [] : ["Look", "this", "up:"]), ...telling].slice(0, 5);
  const subagent_type = instructionsIn(task) === undefined ? "Explore" : "general-purpose";
  return { description: description.join(" "), prompt: task, subagent_type };
}
