import type { ListedAgent } from "../features/agents/listing.ts";
import { nearName } from "../lib/near-name.ts";
import { quoted, UsageError } from "./usage-error.ts";

/** Finds an agent type by its name in any case and with any separators. Throws a `UsageError` that lists the types. */
export function agentType(given: string, agents: readonly ListedAgent[]): string {
  const wanted = bare(given);
  const found = agents.find(({ name, aliases }) =>
    [name, ...aliases].some((known) => bare(known) === wanted),
  );
  if (found) return found.name;
  const names = agents.map(({ name }) => name);
  const guess = nearName(given, names);
  throw new UsageError(
    `There is no agent ${quoted(given)}${guess ? ` (did you mean ${guess}?)` : ""}; there are ${names.join(", ")}.`,
  );
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
