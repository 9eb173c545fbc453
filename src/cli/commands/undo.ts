import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { existingFolder } from "../folders.ts";
import { flag, quoted } from "../option.ts";
import { sessionFlags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print JSON, and ask nothing" });
const force = flag({
  name: "force",
  summary: "also where files were changed since; what they are now is put aside first",
});

/** `troupe undo`: the checkout as it was before an agent's edits were merged. */
export const undoCommand: Command = {
  name: "undo",
  usage: ["undo [AGENT] [--force] [--json]"],
  summary: "take back the edits of an agent that were merged: of the latest one, or of AGENT",
  details: [
    "Files get the exact bytes of before the merge; again takes back the merge before that one.",
    "AGENT is an agent's id, the name of its worktree or of the merge, or the beginning of one of the first two.",
    "Where files were changed since, it says which: at a terminal it asks, elsewhere it takes --force.",
    "The exit code is 0 only where something was undone; with nothing to undo it is 1, so that a script does not take it for done.",
  ],
  options: [force, json, sessionFlags.cwd],
  examples: [
    ["troupe undo", "take back what was merged last"],
    ["troupe undo 3fk2", "take back the edits of that agent"],
  ],
  run: runUndo,
};

async function runUndo(args: Arguments, { io }: Context): Promise<number> {
  const [agent, extra] = args.positionals;
  if (extra !== undefined)
    throw new UsageError(`undo takes back one agent's edits at a time; leave ${quoted(extra)} out.`);
  if (agent !== undefined && agent.trim() === "")
    throw new UsageError(
      "undo was given an empty name; name an agent, or leave it out for the latest merge.",
    );
  const folder = await existingFolder("--cwd", args.value(sessionFlags.cwd) ?? ".", io.cwd);
  const { withGitWorker } = await import("../worktrees/with-git-worker.ts");
  const { undoEdits } = await import("../worktrees/undo-edits.ts");
  return withGitWorker(io, (worktrees) =>
    undoEdits(agent, args.value(force), { worktrees, io, folder, json: args.value(json) }),
  );
}
