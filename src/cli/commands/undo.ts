import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { workingDir } from "../directories.ts";
import { flag } from "../option.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";

const force = flag({
  name: "force",
  summary: "also if files were changed since; what they are now is saved first",
});

/** `troupe undo`: the checkout as it was before an agent's edits were merged. */
export const undoCommand: Command = {
  name: "undo",
  usage: ["undo [AGENT] [--force] [--json]"],
  takes: "[AGENT]",
  summary: "undo the last merge of an agent's edits, or that of AGENT",
  details: [
    "Files get the exact bytes of before the merge. Run it again to undo the merge before that one.",
    "AGENT is an agent's ID, the name of its worktree or of the merge, or the beginning of one of the first two.",
    "If files were changed since, it says which: at a terminal it asks, elsewhere it needs --force. With --json it asks nothing.",
    "The exit code is 0 only if something was undone.",
  ],
  options: [force, jsonFlag, sessionFlags.cwd],
  examples: [
    ["troupe undo", "undo the last merge"],
    ["troupe undo 3fk2", "undo the merge of that agent's edits"],
  ],
  run: runUndo,
};

async function runUndo(args: Arguments, { io }: Context): Promise<number> {
  const [agent] = args.positionals;
  const folder = await workingDir(args, io);
  const { withGitWorker } = await import("../worktrees/worktree-actions.ts");
  const { undoEdits } = await import("../worktrees/undo-edits.ts");
  return withGitWorker(io, (worktrees) =>
    undoEdits(agent, args.value(force), { worktrees, io, folder, json: args.value(jsonFlag) }),
  );
}
