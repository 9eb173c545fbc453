import type { OfferedSpec } from "../mailbox/runners.ts";
import { Toolbox } from "../tools/toolbox.ts";
import type { AgentUser } from "./agent-user.ts";

/** Returns the tools of an agent that would run here and cannot. */
export function lacking({ spec }: OfferedSpec): string[] {
  const known = new Toolbox(() => false);
  known.fill({ ours: [], custom: [] });
  return spec.tools.flatMap(({ name, side, module }) =>
    side === "agent" && (module !== undefined || known.find(name) === undefined) ? [name] : [],
  );
}

/**
 * Worktrees and clones belong to the runner's user. If another one could write there, git as the runner would read through
 * links that this one swaps, and the runner's keys would be in a snapshot.
 */
export function otherUserRefusal(
  { spec }: Pick<OfferedSpec, "spec">,
  { user, name }: { readonly user: AgentUser | undefined; readonly name: string },
): string | null {
  const writes = spec.tools.flatMap((tool) => (WRITES.has(tool.name) ? [tool.name] : []));
  if (user === undefined || writes.length === 0) return null;
  return `Runner ${name} runs agents as the user ${user.name} (--agent-user), who can change no file of a worktree, and this agent has ${writes.join(", ")}. Send it to a pool whose runners have troupe.sandbox.mode instead, or give it an agent type that only reads.`;
}

const WRITES: ReadonlySet<string> = new Set(["Write", "Edit", "NotebookEdit"]);
