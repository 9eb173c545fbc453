import type * as z from "zod/mini";
import type { Conflict } from "../../mailbox/worktree.ts";
import type { MergeNamedAnswer, TreeListing } from "../../worktrees/requests.ts";
import { exitCodes } from "../exit-codes.ts";
import { counted } from "../figures.ts";
import { safeLine } from "../safe-text.ts";
import { yesOrNo } from "../yes-or-no.ts";
import { type AboutTrees, named, printJson, refused } from "./about-trees.ts";
import { fileLines } from "./file-lines.ts";

type Answer = z.infer<typeof MergeNamedAnswer>;

/**
 * Edits that stayed on their branch come into the checkout; exit code 1 where they do not. `deleting`: files that they
 * delete are deleted without a question; else that is asked on a terminal, and elsewhere they stay.
 */
export async function mergeEdits(given: string, deleting: boolean, about: AboutTrees): Promise<number> {
  const found = await named(given, about);
  if (found.type === "refused") return refused(about, found);
  const { worktrees, io, folder, json } = about;
  const { tree } = found;
  const merge = (deletions: "ask" | "do" | "hold") =>
    worktrees.mergeNamed({ folder, name: tree.name, deletions });
  const asks = !json && io.stdinIsTTY && io.stderr.isTTY;
  const first = await merge(deleting ? "do" : asks ? "ask" : "hold");
  if (first.type !== "deletes" || !asks) return tell(first, tree, about);
  const yes = await yesOrNo(
    io,
    `Its edits delete:\n${fileLines(first.paths)}Delete them in the checkout too?`,
  );
  return tell(await merge(yes ? "do" : "hold"), tree, about);
}

async function tell(answer: Answer, tree: TreeListing, about: AboutTrees): Promise<number> {
  const { io, json } = about;
  const name = safeLine(tree.name);
  if (answer.type === "refused") return refused(about, answer);
  const isIn = answer.type === "merged" || answer.type === "empty" || answer.type === "already";
  const code = isIn ? exitCodes.done : exitCodes.notDone;
  if (json) {
    await printJson(io, { name: tree.name, ...answer });
    return code;
  }
  switch (answer.type) {
    case "merged": {
      const { files, insertions, deletions, checkout, paths, held } = answer;
      await io.stdout.write(
        `The edits of ${name} (${counted(files, "file")}, +${insertions} -${deletions}) are in ${safeLine(checkout)}, not committed; troupe undo ${name} takes them back.\n${fileLines(paths)}`,
      );
      if (held.length > 0)
        await io.stderr.write(
          `They also delete these, which are left as they are:\n${heldWords(name, held)}`,
        );
      break;
    }
    case "empty":
      await io.stderr.write(
        `There is nothing to bring in of ${name}: it has no edits, or the checkout has them.\n`,
      );
      break;
    case "already":
      await io.stderr.write(
        `The edits of ${name} are merged already, so nothing was changed. Where they were taken out by hand since: troupe undo ${name}, then merge them again.\n`,
      );
      break;
    case "conflict":
      await io.stderr.write(
        `The edits of ${name} do not fit to what the checkout is now, so nothing was changed:\n${fileLines(answer.conflicts.map(placeOf))}They stay in ${safeLine(answer.path)}, on branch ${safeLine(answer.branch)}. Make these places alike and try again${agentWords(tree)}.\n`,
      );
      break;
    case "deletes":
      await io.stderr.write(
        `Nothing was changed, as all that is left of the edits of ${name} deletes files:\n${heldWords(name, answer.paths)}`,
      );
      break;
    default:
      answer satisfies never;
  }
  if ("notes" in answer) for (const note of answer.notes) await io.stderr.write(`${safeLine(note)}\n`);
  return code;
}

function heldWords(name: string, paths: readonly string[]): string {
  return `${fileLines(paths)}troupe worktrees merge ${name} --delete deletes them.\n`;
}

/** An agent that keeps its edits on their branch meets no conflict that it could settle. */
function agentWords({ owner }: TreeListing): string {
  if (owner === null) return "";
  const [session, actor] = [safeLine(owner.session), safeLine(owner.actor)];
  return `; or have its agent settle them (troupe --resume ${session}, then /resume ${actor} TEXT), unless it was started to keep its edits on their branch`;
}

/** Its lines are those of a file with marks, and none was written. */
function placeOf({ path, kind }: Conflict): string {
  return kind === "content" ? path : `${path} (${kind})`;
}
