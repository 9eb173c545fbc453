import { counted } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { SuccessOf, TreeListing } from "../../worktrees/protocol.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, printNotes } from "../print.ts";
import { askYesOrNo } from "../yes-or-no.ts";
import { fileLines, findNamed, granted, type WorktreeContext } from "./worktree-actions.ts";

/**
 * Merges edits that stayed on their branch into the checkout. `deletes`: files that they delete are deleted without a
 * question; else a user at a terminal is asked, and elsewhere these files stay.
 */
export async function mergeEdits(given: string, deletes: boolean, context: WorktreeContext): Promise<number> {
  const { worktrees, io, folder, json } = context;
  const tree = await findNamed(given, context);
  const merge = async (deletions: "ask" | "do" | "hold") =>
    granted(await worktrees.mergeNamed({ folder, name: tree.name, deletions }));
  const asks = !json && io.stdinIsTTY && io.stderr.isTTY;
  const first = await merge(deletes ? "do" : asks ? "ask" : "hold");
  if (first.type !== "deletes" || !asks) return printMerge(first, tree, context);
  const question = `Its edits delete:\n${fileLines(first.paths)}Delete them in the checkout too?`;
  return printMerge(await merge((await askYesOrNo(io, question)) ? "do" : "hold"), tree, context);
}

async function printMerge(
  answer: SuccessOf<"mergeNamed">,
  tree: TreeListing,
  context: WorktreeContext,
): Promise<number> {
  const { io, json } = context;
  const name = safeLine(tree.name);
  const isIn = answer.type === "merged" || answer.type === "empty" || answer.type === "already";
  const code = isIn ? exitCodes.done : exitCodes.notDone;
  if (json) {
    await printJson(io, { name: tree.name, ...answer });
    return code;
  }
  const forDeletions = `troupe worktrees merge ${name} --delete deletes them.\n`;
  switch (answer.type) {
    case "merged": {
      const { files, insertions, deletions, checkout, paths, held } = answer;
      await io.stdout.write(
        `The edits of ${name} (${counted(files, "file")}, +${insertions} -${deletions}) are in ${safeLine(checkout)}, not committed; troupe undo ${name} undoes the merge.\n${fileLines(paths)}`,
      );
      if (held.length > 0)
        await io.stderr.write(`They also delete these files, which stay:\n${fileLines(held)}${forDeletions}`);
      break;
    }
    case "empty":
      await io.stderr.write(
        `${name} has nothing to merge: it has no edits, or the checkout has them already.\n`,
      );
      break;
    case "already":
      await io.stderr.write(
        `The edits of ${name} were merged before, so nothing was changed. If you have removed them by hand since, run troupe undo ${name}, then merge them again.\n`,
      );
      break;
    case "conflict": {
      const conflicts = answer.conflicts.map(({ path, kind }) =>
        kind === "content" ? path : `${path} (${kind})`,
      );
      await io.stderr.write(
        `The edits of ${name} conflict with the checkout, so nothing was changed:\n${fileLines(conflicts)}They stay in ${safeLine(answer.path)}, on branch ${safeLine(answer.branch)}. Make these places alike and try again${agentAdvice(tree)}.\n`,
      );
      break;
    }
    case "deletes":
      await io.stderr.write(
        `Nothing was changed: all that is left of the edits of ${name} deletes files:\n${fileLines(answer.paths)}${forDeletions}`,
      );
      break;
    default:
      answer satisfies never;
  }
  if ("notes" in answer) await printNotes(io, answer.notes);
  return code;
}

/** An agent that keeps its edits on their branch meets no conflict that it could settle. */
function agentAdvice({ owner }: TreeListing): string {
  if (owner === null) return "";
  const [session, actor] = [safeLine(owner.session), safeLine(owner.actor)];
  return `; or have its agent settle them (troupe --resume ${session}, then /resume ${actor} TEXT), unless it was started to keep its edits on their branch`;
}
