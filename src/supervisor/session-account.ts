import { addUsage, noUsage } from "../mailbox/conversation.ts";
import type { SessionAccount } from "./options.ts";

/** What a session has used, all its agents together. */
export function sessionAccount(of: Omit<SessionAccount, "usage">): SessionAccount {
  return {
    ...of,
    usage: of.agents.reduce((sum, agent) => addUsage(sum, agent.usage), noUsage),
    // Prices are fractions of a cent: what lies below a millionth of a dollar is the arithmetic's own.
    costUsd: Math.round(of.costUsd * 1e6) / 1e6,
    denials: [...of.denials],
  };
}
