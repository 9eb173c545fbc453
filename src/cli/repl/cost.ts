import type { SessionUsage } from "../../features/budget/usage-meter.ts";
import type { OfferedModel } from "../../features/models/index.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { counted, dollars, shortCount, shortTime } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";

/** Formats what the session has used: in all, and for each model. */
export function formatCost({ costUsd, usage, apiMs, agents, models }: SessionUsage): string {
  const others = agents.filter(({ id }) => id !== MAIN).length;
  const all = [
    dollars(costUsd),
    `${shortCount(totalTokens(usage))} tokens`,
    counted(others, "agent"),
    `${shortTime(apiMs)} of requests`,
  ];
  const rows = models.map(
    ({ model, usage: used, costUsd: usd }) =>
      `${safeLine(model)}  ${dollars(usd)} · ${shortCount(totalTokens(used))} tokens`,
  );
  return [`This session: ${all.join(" · ")}`, ...rows].join("\n");
}

/** Says how much of its window the conversation uses; below it comes what it was sent first. `tokens`: null if not known. */
export function contextLine(tokens: number | null, models: readonly OfferedModel[]): string {
  if (tokens === null)
    return "How much this conversation uses is known after its next reply. It begins with:";
  const window = models.find(({ isCurrent }) => isCurrent)?.windowTokens;
  const of =
    window === undefined ? "" : ` of ${shortCount(window)} (${Math.round((100 * tokens) / window)} %)`;
  return `This conversation uses ${shortCount(tokens)} tokens${of}. It began with:`;
}
