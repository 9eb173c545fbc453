import { relative, sep } from "node:path";
import { inTurn, type Queues } from "../../lib/turns.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { HeldTree, HeldWorktrees } from "../writers/held-worktrees.ts";
import { lookAgainWords, touches } from "./conflict-text.ts";

export interface LookAgainPorts {
  readonly worktrees: Pick<Worktrees, "rebase">;
  /** By checkout. */
  readonly queue: Queues;
  readonly trees: HeldWorktrees;
  onWarning(message: string): void;
}

/**
 * Called before a write if files are leased: merges what reached the checkout since the worktree started, if it
 * touches one of these absolute paths. Resolves with null if nothing did, else with the text for the agent, which
 * must read the files again. Rejects with the signal's reason.
 */
export async function recheckBeforeWrite(
  { worktrees, trees, queue, onWarning }: LookAgainPorts,
  held: HeldTree,
  files: readonly string[],
  signal: AbortSignal,
): Promise<string | null> {
  const { path, checkout } = held.tree;
  const wanted = new Set(files.map((file) => relative(path, file).split(sep).join("/")));
  const others = () => trees.mergedInto(checkout, held.since).filter((one) => touches(one, wanted));
  if (others().length === 0) return null;
  const recheck = async () => {
    signal.throwIfAborted();
    let words: string | null = null;
    held.settled = held.settled.then(async () => {
      const [since, found] = [trees.merges, others()];
      const rebased = await worktrees.rebase({ tree: held.tree });
      if (rebased.type === "refused") {
        // It becomes a conflict at its end, as without leases.
        onWarning(rebased.reason);
        return;
      }
      held.tree = rebased.tree;
      held.since = since;
      words = lookAgainWords(wanted, found, rebased.conflicts);
    });
    await held.settled;
    return words;
  };
  // In its turn, so that no merge changes the checkout during it.
  return inTurn(queue, checkout, recheck);
}
