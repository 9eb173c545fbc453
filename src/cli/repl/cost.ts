import { totalTokens } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { SessionUsage } from "../../session/options.ts";
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
