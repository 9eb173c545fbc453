import { findAgent } from "../context/agents/find-agent.ts";
import type { ListedAgent } from "../features/agents/listing.ts";
import { nearName } from "../lib/near-name.ts";
import { quoted, UsageError } from "./usage-error.ts";

/** Finds an agent type by its name in any case and with any separators. Throws a `UsageError` that lists the types. */
export function agentType(given: string, agents: readonly ListedAgent[]): string {
  const found = findAgent(agents, given);
  if (found) return found.name;
  const names = agents.map(({ name }) => name);
  const guess = nearName(given, names);
  throw new UsageError(
    `There is no agent ${quoted(given)}${guess ? ` (did you mean ${guess}?)` : ""}; there are ${names.join(", ")}.`,
  );
}
