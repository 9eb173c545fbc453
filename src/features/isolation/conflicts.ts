import { relative, sep } from "node:path";
import { inTurn, type Queues } from "../../lib/queues.ts";
import type { Conflict, Worktree } from "../../mailbox/worktree.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import type { EarlierMerge, HeldTree, HeldWorktrees } from "../writers/held-worktrees.ts";

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

/** Formats the conflict for the owner of the edits: its files contain both sides, and it resolves them (issue 6, 5). */
export function conflictText(
  { path }: Pick<Worktree, "path">,
  conflicts: readonly Conflict[],
  earlier: readonly EarlierMerge[],
  own: string,
): string {
  const files = conflicts.map((conflict) => `- ${path}/${conflict.path}${placesOf(conflict)}`);
  const touched = new Set(conflicts.map((conflict) => conflict.path));
  const others = earlier.filter((one) => touches(one, touched));
  const theirs =
    others.length === 0
      ? "They were changed in the checkout in the meantime, by the user or by a program outside this session."
      : `They were changed in the meantime by:\n${others.map(({ title, intent }) => `- ${title}: ${intent}`).join("\n")}`;
  return [
    "Your edits conflict with changes of the checkout since you started, so they were not merged yet. Your worktree is now based on the checkout as it is, with your edits in it; files in conflict have both sides, between <<<<<<< and >>>>>>> (first the checkout's side, then yours):",
    files.join("\n"),
    theirs,
    `Your own report was: ${own}`,
    "Read these files again, settle each place so that both intents hold, and remove the marks. Where both cannot hold, keep the checkout's side and say so. Change nothing else. Then end with your whole report, as it is now true.",
  ].join("\n\n");
}

/** True if the merge changed one of these files. */
export function touches({ paths }: Pick<EarlierMerge, "paths">, files: ReadonlySet<string>): boolean {
  return paths.some((path) => files.has(path));
}

/** Formats the result for an agent that was about to overwrite edits merged since. */
export function lookAgainWords(
  files: ReadonlySet<string>,
  others: readonly EarlierMerge[],
  conflicts: readonly Conflict[],
): string {
  const changed = [...files].filter((path) => others.some(({ paths }) => paths.includes(path)));
  const marked = conflicts.map((conflict) => `- ${conflict.path}${placesOf(conflict)}`);
  return [
    `Nothing was written: ${changed.join(", ")} ${changed.length === 1 ? "was" : "were"} changed since you began, and ${changed.length === 1 ? "it is" : "they are"} in your worktree now as changed by:`,
    ...others.map(({ title, intent }) => `- ${title}: ${intent}`),
    ...(marked.length === 0
      ? []
      : [
          "These have both sides now, between <<<<<<< and >>>>>>>; settle them so that both intents hold:",
          ...marked,
        ]),
    "Read again what you are about to change, and write so that both hold.",
  ].join("\n");
}

function placesOf({ kind, lines }: Conflict): string {
  const where = lines.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
  const what = kind === "content" ? "" : ` (${kind})`;
  return where === "" ? what : `: lines ${where}${what}`;
}
