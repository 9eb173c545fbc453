import { nearName } from "../../mailbox/near-name.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { existingFolder } from "../folders.ts";
import { flag, quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";
import type { AboutTrees } from "../worktrees/about-trees.ts";

const json = flag({ name: "json", summary: "print JSON" });
const force = flag({
  name: "force",
  summary: "of remove: also where edits are in no checkout; their snapshots stay",
});

const deleting = flag({
  name: "delete",
  summary: "of merge: delete without a question what the edits delete",
});

const ACTIONS = ["list", "diff", "merge", "restore", "remove", "sweep"] as const;
type Action = (typeof ACTIONS)[number];
/** Filters run, where the repository has any. */
const READS_FILES: readonly Action[] = ["merge", "restore", "remove", "sweep"];

/** `troupe worktrees`: what agents with worktrees of their own have left in this repository. */
export const worktreesCommand: Command = {
  name: "worktrees",
  usage: [
    "worktrees list [--json]",
    "worktrees diff NAME [--json]",
    "worktrees merge NAME [--delete] [--trust] [--json]",
    "worktrees restore NAME [--trust] [--json]",
    "worktrees remove NAME [--force] [--trust] [--json]",
    "worktrees sweep [--trust] [--json]",
  ],
  summary: "list agents' worktrees, show their edits, bring them in, and clear them away",
  details: [
    "NAME is a worktree's name or its agent's id, or the beginning of either.",
    "diff prints what the agent changed, also of a worktree that is gone. Its exit code is 0 whether there are edits or not.",
    "merge brings edits that stayed on their branch into the checkout, as at an agent's end, but without the check of worktree.check; troupe undo takes them back. Files that they delete are asked about, or stay where nobody can be. Where they do not fit it changes nothing, and exits with 1.",
    "restore makes a worktree again, with all it held last.",
    "remove takes it away; where it has edits that are in no checkout it does nothing, and exits with 1.",
    "sweep removes worktrees whose agents' processes are gone, where every byte is in a snapshot, and takes back merges that were cut off. Troupe does the same by itself.",
    "These four have git read or write files. Where the repository's configuration would have it run something, such as a filter, the folder must be trusted.",
  ],
  options: [json, force, deleting, sessionFlags.trust, sessionFlags.cwd],
  examples: [
    ["troupe worktrees list", "whose edits are merged, kept or in conflict, and where"],
    ["troupe worktrees diff 3fk2", "what that agent changed"],
    ["troupe worktrees merge 3fk2", "its edits in your checkout"],
    ["troupe worktrees restore 3fk2", "its worktree again, as it was last"],
  ],
  run: runWorktrees,
};

async function runWorktrees(args: Arguments, { io }: Context): Promise<number> {
  const [word, name] = args.positionals;
  const action = actionOf(word);
  checkWords(action, args);
  const folder = await existingFolder("--cwd", args.value(sessionFlags.cwd) ?? ".", io.cwd);
  const why = READS_FILES.includes(action)
    ? await (await import("../worktrees/foreign-git.ts")).whyNoGit(io, folder, args.value(sessionFlags.trust))
    : null;
  if (why !== null) {
    await io.stderr.write(`${safeLine(why)}\n`);
    return exitCodes.notDone;
  }
  const { withGitWorker } = await import("../worktrees/with-git-worker.ts");
  return withGitWorker(io, (worktrees) =>
    perform(action, name ?? "", args, { worktrees, io, folder, json: args.value(json) }),
  );
}

async function perform(action: Action, name: string, args: Arguments, about: AboutTrees): Promise<number> {
  const { diffTree, listTrees, removeTree, restoreTree, sweepTrees } = await import(
    "../worktrees/about-trees.ts"
  );
  switch (action) {
    case "list":
      return listTrees(about);
    case "diff":
      return diffTree(name, about);
    case "merge":
      return (await import("../worktrees/merge-edits.ts")).mergeEdits(name, args.value(deleting), about);
    case "restore":
      return restoreTree(name, about);
    case "remove":
      return removeTree(name, args.value(force), about);
    case "sweep":
      return sweepTrees(about);
    default:
      return action satisfies never;
  }
}

function actionOf(word: string | undefined): Action {
  const action = ACTIONS.find((known) => known === word);
  if (action !== undefined) return action;
  if (word === undefined)
    throw new UsageError(
      "worktrees needs to know what to do: worktrees list, diff NAME, merge NAME, restore NAME, remove NAME, or sweep.",
    );
  const guess = nearName(word, ACTIONS);
  throw new UsageError(
    `worktrees cannot ${quoted(word)}; ${guess ? `did you mean worktrees ${guess}?` : "it can list, diff, merge, restore, remove and sweep."}`,
  );
}

function checkWords(action: Action, args: Arguments): void {
  const [, ...words] = args.positionals;
  const named = action !== "list" && action !== "sweep";
  const extra = words[named ? 1 : 0];
  if (named && (words[0] ?? "").trim() === "")
    throw new UsageError(
      `worktrees ${action} needs the name of a worktree; troupe worktrees list shows them.`,
    );
  if (extra !== undefined)
    throw new UsageError(
      `worktrees ${action} does not take ${quoted(extra)}; ${named ? "name one worktree." : "leave it out."}`,
    );
  if (args.value(deleting) && action !== "merge")
    throw new UsageError(`worktrees ${action} has no --delete; leave it out. It is for worktrees merge.`);
  if (args.value(force) && action !== "remove")
    throw new UsageError(`worktrees ${action} has no --force; leave it out. It is for worktrees remove.`);
}
