import { existsSync } from "node:fs";
import type { Summary } from "../../mailbox/messages.ts";
import type { ResultDecision } from "../../supervisor/view.ts";

/** Returns why the user must look at a result, or null if nothing is left to decide. */
export function decisionOn({ acceptance, worktree, status }: Summary): ResultDecision | null {
  const isKept = worktree?.outcome === "conflict" || worktree?.outcome === "kept";
  // Once it is merged or thrown away, its directory is gone.
  if (isKept && (worktree.path === undefined || !existsSync(worktree.path))) return null;
  if (worktree?.outcome === "conflict") return "conflict";
  if (acceptance?.verdict === "rejected") return "rejected";
  if (status === "over_budget") return "over_budget";
  return isKept ? "unmerged" : null;
}
