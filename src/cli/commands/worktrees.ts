import { troupeHome } from "../../journal/paths.ts";
import type { Arguments } from "../arguments.ts";
import { type Context, withSubcommands } from "../command.ts";
import { workingDir } from "../directories.ts";
import { exitCodes } from "../exit-codes.ts";
import { flag } from "../option.ts";
import { printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";
import { sessionSettings } from "../session-settings.ts";
import type { WorktreeContext } from "../worktrees/worktree-actions.ts";

const { trust } = sessionFlags;
const force = flag({
  name: "force",
  summary: "of remove: also if edits are in no checkout; their snapshots stay",
});
const deletes = flag({
  name: "delete",
  summary: "of merge: delete without a question what the edits delete",
});

type Actions = typeof import("../worktrees/worktree-actions.ts");

/** `troupe worktrees`: what agents with worktrees of their own have left in this repository. */
export const worktreesCommand = withSubcommands({
  name: "worktrees",
  summary: "list agents' worktrees, show and merge their edits, restore and remove them",
  details: [
    "NAME is a worktree's name or its agent's ID, or the beginning of either.",
    "diff prints what the agent changed, also if its worktree is removed. Its exit code is 0 whether there are edits or not.",
    "merge merges edits that stayed on their branch into the checkout, as at an agent's end, but without the check of worktree.check; troupe undo undoes it. For files that they delete you are asked at a terminal; elsewhere these files stay. If the edits conflict it changes nothing, and exits with 1.",
    "restore makes a worktree again, with everything it held last.",
    "remove removes it; if it has edits that are in no checkout it does nothing, and exits with 1.",
    "sweep removes worktrees whose agents' processes have gone, if every byte is in a snapshot, and rolls back merges that were cut off. Troupe does the same by itself.",
    "These four let git read or write files. If the repository's configuration makes git run something, such as a filter, the directory must be trusted.",
  ],
  options: [sessionFlags.cwd, sessionFlags.pluginDir],
  subcommands: {
    list: {
      options: [jsonFlag],
      run: (_, args, context) => withActions(args, context, (act, about) => act.listWorktrees(about)),
    },
    diff: {
      takes: "NAME",
      options: [jsonFlag],
      run: ([name = ""], args, context) =>
        withActions(args, context, (act, about) => act.diffWorktree(name, about)),
    },
    merge: {
      takes: "NAME",
      options: [deletes, trust, jsonFlag],
      run: ([name = ""], args, context) =>
        touchingFiles(args, context, async (_, about) => {
          const { mergeEdits } = await import("../worktrees/merge-edits.ts");
          return mergeEdits(name, args.value(deletes), about);
        }),
    },
    restore: {
      takes: "NAME",
      options: [trust, jsonFlag],
      run: ([name = ""], args, context) =>
        touchingFiles(args, context, (act, about) => act.restoreWorktree(name, about)),
    },
    remove: {
      takes: "NAME",
      options: [force, trust, jsonFlag],
      run: ([name = ""], args, context) =>
        touchingFiles(args, context, (act, about) => act.removeWorktree(name, args.value(force), about)),
    },
    sweep: {
      options: [trust, jsonFlag],
      run: (_, args, context) => touchingFiles(args, context, (act, about) => act.sweepWorktrees(about)),
    },
  },
  examples: [
    ["troupe worktrees list", "whose edits are merged, kept or in conflict, and where"],
    ["troupe worktrees diff 3fk2", "what that agent changed"],
    ["troupe worktrees merge 3fk2", "its edits in your checkout"],
    ["troupe worktrees restore 3fk2", "its worktree again, as it was last"],
  ],
});

type Act = (actions: Actions, about: WorktreeContext) => Promise<number>;

async function withActions(args: Arguments, { io }: Context, act: Act): Promise<number> {
  const folder = await workingDir(args, io);
  const { withGitWorker } = await import("../worktrees/worktree-actions.ts");
  const actions = await import("../worktrees/worktree-actions.ts");
  return withGitWorker(io, (worktrees) =>
    act(actions, { worktrees, io, folder, json: args.value(jsonFlag) }),
  );
}

/** The same, but refuses if git would run what the user has not agreed to. */
async function touchingFiles(args: Arguments, context: Context, act: Act): Promise<number> {
  const refusal = await gitRefusal(args, context.io);
  if (refusal === null) return withActions(args, context, act);
  await printNotes(context.io, [refusal]);
  return exitCodes.notDone;
}

async function gitRefusal(args: Arguments, io: CliIO): Promise<string | null> {
  const folder = await workingDir(args, io);
  const home = troupeHome(io.env, io.homedir);
  const pluginDirs = args.value(sessionFlags.pluginDir);
  const { reader } = await sessionSettings(io, { cwd: folder, home, trusts: args.value(trust), pluginDirs });
  const foreign = reader.foreignGit(folder);
  return foreign === null
    ? null
    : `Nothing was done to worktrees here: git would look at files, and ${foreign}.`;
}
