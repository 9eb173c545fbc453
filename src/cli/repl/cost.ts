import { totalTokens } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { SessionUsage } from "../../session/options.ts";
import { counted, dollars, shortCount, shortTime } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";

/** Formats what the session has used: in all, and for each model. */
export function formatCost({ costUsd, usage, apiMs, agents }: SessionUsage): string {
  const others = agents.filter(({ id }) => id !== MAIN).length;
  const all = [
    dollars(costUsd),
    `${shortCount(totalTokens(usage))} tokens`,
    counted(others, "agent"),
    `${shortTime(apiMs)} of requests`,
  ];
  const models = [...Map.groupBy(agents, ({ model }) => model)].map(([model, views]) => {
    const tokens = views.reduce((sum, view) => sum + totalTokens(view.usage), 0);
    const usd = views.reduce((sum, view) => sum + view.costUsd, 0);
    return `${safeLine(model)}  ${dollars(usd)} · ${shortCount(tokens)} tokens`;
  });
  return [`This session: ${all.join(" · ")}`, ...models].join("\n");
}
