import type { UndoAnswer } from "../../worktrees/requests.ts";
import { exitCodes } from "../exit-codes.ts";
import { counted } from "../figures.ts";
import { quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { yesOrNo } from "../yes-or-no.ts";
import { type AboutTrees, printJson, refused } from "./about-trees.ts";
import { fileLines } from "./file-lines.ts";
import { ambiguous, searchTree } from "./named-tree.ts";

/** Takes back the latest merge that is not taken back yet, or that of one agent; exit code 1 where nothing was. */
export async function undoEdits(
  given: string | undefined,
  force: boolean,
  about: AboutTrees,
): Promise<number> {
  const { worktrees, folder, io, json } = about;
  const which = given === undefined ? null : await meant(given, about);
  const first = await worktrees.undo({ folder, which, force });
  const asks = first.type === "changed" && !json && io.stdinIsTTY && io.stderr.isTTY;
  if (!asks) return tell(first, given, about);
  const question = `${changedWords(first)}Undo all the same? What the files are now is put aside first.`;
  if (!(await yesOrNo(io, question))) {
    await io.stderr.write("Nothing was undone.\n");
    return exitCodes.notDone;
  }
  return tell(await worktrees.undo({ folder, which: first.merge, force: true }), given, about);
}

/** A merge's name is nobody's worktree: what is not found here the keeper may know. */
async function meant(given: string, { worktrees, folder }: AboutTrees): Promise<string> {
  const answer = await worktrees.list({ folder });
  // What is refused here is refused there, too, with the same sentence.
  if (answer.type === "refused") return given;
  const search = searchTree(given, answer.trees);
  switch (search.type) {
    case "found":
      return search.tree.name;
    case "ambiguous":
      throw ambiguous(given, search.names);
    case "unknown":
      return given;
    default:
      return search satisfies never;
  }
}

async function tell(answer: UndoAnswer, given: string | undefined, about: AboutTrees): Promise<number> {
  const { io, json } = about;
  if (answer.type === "refused") return refused(about, answer);
  const code = answer.type === "undone" ? exitCodes.done : exitCodes.notDone;
  if (json) {
    await printJson(io, answer);
    return code;
  }
  switch (answer.type) {
    case "undone": {
      const { title, paths, notes } = answer;
      const are = paths.length === 1 ? "is" : "are";
      await io.stdout.write(
        `Undone: ${safeLine(title)}\n${counted(paths.length, "file")} ${are} as before the merge:\n${fileLines(paths)}`,
      );
      for (const note of notes) await io.stderr.write(`${safeLine(note)}\n`);
      break;
    }
    case "changed":
      await io.stderr.write(
        `${changedWords(answer)}Nothing was undone. Undo it all the same with --force: what the files are now is put aside first.\n`,
      );
      break;
    case "nothing":
      await io.stderr.write(
        given === undefined
          ? "There is no merge to undo: none was made in this repository, or each is undone already.\n"
          : `There is no merge of ${quoted(safeLine(given))} to undo: it has none, or it is undone already; troupe worktrees list shows whose edits were merged.\n`,
      );
      break;
    default:
      answer satisfies never;
  }
  return code;
}

function changedWords({ title, paths }: Extract<UndoAnswer, { type: "changed" }>): string {
  const were = paths.length === 1 ? "This file was" : "These files were";
  return `${were} changed since the merge of ${quoted(safeLine(title))}:\n${fileLines(paths)}`;
}
