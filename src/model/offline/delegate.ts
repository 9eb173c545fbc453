import { shorten } from "../../lib/text.ts";
import { instructionsIn } from "./instructions.ts";
import type { OfflinePlan, PlanResult } from "./plan.ts";
import type { OfflineTools } from "./tools.ts";

/** Gives a question to an agent. */
export function* delegate(task: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [outcome] = yield [{ tool: tools.find("Agent") ?? "Agent", input: agentInput(task), shared: false }];
  const { type = "not-asked", text = "", parts = [] } = outcome ?? {};
  if (type !== "result")
    return {
      ok: false,
      text: `${type === "error" ? "This agent failed" : "This was not asked"}: ${text.trim()}`,
    };
  // The runtime's own line comes before the report, in a block of its own.
  const [header = "", ...report] = parts;
  const said = (report.length > 0 ? report.join("\n") : header).trim();
  const ok = report.length === 0 || /^\[[^\n]*\bended: done\b/.test(header);
  return { ok, text: said === "" ? "The agent ended without a report." : said };
}

/** The description is three to five words by which the user recognises the task in a list. */
export function agentInput(task: string) {
  const subagent_type = instructionsIn(task) === undefined ? "Explore" : "general-purpose";
  const words = task.slice(0, 2_000).match(/[^\s"“”`'?!.,]+/g) ?? [];
  const isTelling = (word: string) =>
    !/^(?:the|an?|of|is|are|do|does|did|was|were|please|in|to|and)$/i.test(word);
  const telling = words.filter(isTelling);
  const chosen = (telling.length >= 3 ? telling : words).slice(0, 5).map((word) => shorten(word, 24));
  const description = chosen.length >= 3 ? chosen : ["Look", "this", "up:", ...chosen].slice(0, 5);
  return { description: description.join(" "), prompt: task, subagent_type };
}

/** Each result under its task, if there are several. */
export function sections(tasks: readonly string[], results: readonly PlanResult[]): PlanResult {
  const [first, ...more] = results;
  if (first !== undefined && more.length === 0) return first;
  const failed = results.filter(({ ok }) => !ok).length;
  const parts = results.map(({ text }, at) => `## ${tasks[at] ?? ""}\n\n${text}`);
  if (failed > 0) parts.push(`${failed} of ${results.length} were not answered or not done.`);
  return { ok: failed === 0, text: parts.join("\n\n") };
}
