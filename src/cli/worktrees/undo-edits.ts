import { counted } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { SuccessOf } from "../../worktrees/protocol.ts";
import { exitCodes, quoted } from "../exit-codes.ts";
import { printJson, printNotes } from "../print.ts";
import { askYesOrNo } from "../yes-or-no.ts";
import { fileLines, findWorktree, granted, type WorktreeContext } from "./worktree-actions.ts";

/** Undoes the latest merge that is not undone yet, or that of one agent. The exit code is 1 if nothing was undone. */
export async function undoEdits(
  given: string | undefined,
  force: boolean,
  context: WorktreeContext,
): Promise<number> {
  const { worktrees, folder, io, json } = context;
  const which = given === undefined ? null : await mergeNamed(given, context);
  const first = granted(await worktrees.undo({ folder, which, force }));
  const asks = first.type === "changed" && !json && io.stdinIsTTY && io.stderr.isTTY;
  if (!asks) return printUndo(first, given, context);
  const question = `${changedText(first)}Undo anyway? What the files are now is saved first.`;
  if (!(await askYesOrNo(io, question))) {
    await printNotes(io, ["Nothing was undone."]);
    return exitCodes.notDone;
  }
  const second = granted(await worktrees.undo({ folder, which: first.merge, force: true }));
  return printUndo(second, given, context);
}

/** A name that no worktree has may be a merge's, which the git worker knows. */
async function mergeNamed(given: string, { worktrees, folder }: WorktreeContext): Promise<string> {
  const answer = await worktrees.list({ folder });
  // A refusal here comes again from the undo.
  return (answer.type === "refused" ? null : findWorktree(given, answer.trees)?.name) ?? given;
}

async function printUndo(
  answer: SuccessOf<"undo">,
  given: string | undefined,
  context: WorktreeContext,
): Promise<number> {
  const { io, json } = context;
  const code = answer.type === "undone" ? exitCodes.done : exitCodes.notDone;
  if (json) {
    await printJson(io, answer);
    return code;
  }
  switch (answer.type) {
    case "undone": {
      const { title, paths, notes } = answer;
      await io.stdout.write(
        `Undone: ${safeLine(title)}\n${counted(paths.length, "file is", "files are")} as before the merge:\n${fileLines(paths)}`,
      );
      await printNotes(io, notes);
      break;
    }
    case "changed":
      await io.stderr.write(
        `${changedText(answer)}Nothing was undone. To undo it anyway, add --force: what the files are now is saved first.\n`,
      );
      break;
    case "nothing":
      await printNotes(io, [
        given === undefined
          ? "There is no merge to undo: none was made in this repository, or each is undone already."
          : `There is no merge of ${quoted(given)} to undo: it has none, or it is undone already; troupe worktrees list shows whose edits were merged.`,
      ]);
      break;
    default:
      answer satisfies never;
  }
  return code;
}

function changedText({ title, paths }: Extract<SuccessOf<"undo">, { type: "changed" }>): string {
  const were = paths.length === 1 ? "This file was" : "These files were";
  return `${were} changed since the merge of ${quoted(safeLine(title))}:\n${fileLines(paths)}`;
}
