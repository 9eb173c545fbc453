import { fitList } from "../lib/fit-list.ts";

/** One line of the list a model chooses from (A4.16, A11.10). */
export interface AgentListing {
  readonly name: string;
  readonly whenToUse: string;
  readonly tools: readonly string[];
}

export function formatAgentLine({ name, whenToUse, tools }: AgentListing): string {
  return `- ${name}: ${whenToUse} (Tools: ${tools.join(", ") || "none"})`;
}

/** Returns one line for each agent, in `budget` characters together. The kept ones stay whole, even over the budget. */
export function agentList<Listed extends AgentListing>(
  agents: readonly Listed[],
  budget: number,
  isKept: (agent: Listed) => boolean,
): string {
  const more = (count: number) => `- (and ${count} more, which are started by their names)`;
  const entries = agents.map((agent) => ({
    ...{ name: agent.name, description: agent.whenToUse, whole: formatAgentLine(agent) },
    isKept: isKept(agent),
  }));
  const kept = entries.filter((entry) => entry.isKept).map(({ whole }) => whole);
  const least = [...kept, more(entries.length)].join("\n").length;
  return fitList(entries, Math.max(budget, least), more);
}
