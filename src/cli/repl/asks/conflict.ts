import type { WaitingForUser } from "../../../events/event.ts";
import { conflictName } from "../../../features/isolation/worktree-result.ts";
import type { Conflict } from "../../../mailbox/worktree.ts";
import type { Choices } from "../../../terminal/dialogs/choice-form.ts";
import { visibleLine } from "../../../terminal/safe-text.ts";
import { wrapText } from "../../../terminal/wrap.ts";
import { field, type Sheet } from "./shown.ts";

export type ConflictOf = Extract<WaitingForUser, { type: "result" }>;

/** Paths that are named; `troupe worktrees diff` shows all. */
const MOST_PATHS = 12;

export function conflictRows({ actor, title, summary: { worktree } }: ConflictOf, sheet: Sheet): string[] {
  const { conflicts = [], branch, path, reason } = worktree ?? {};
  const left = conflicts.length - MOST_PATHS;
  const where = [branch, path].filter((one) => one !== undefined).join("  ");
  return [
    ...wrapText(
      `The edits of "${visibleLine(title)}" conflict with your checkout. Nothing was changed there.`,
      sheet.columns,
    ).map((row) => sheet.paint("yellow", row)),
    ...conflicts
      .slice(0, MOST_PATHS)
      .flatMap((one) => wrapText(`- ${conflictName(one)}`, sheet.columns, "  ")),
    ...(left > 0 ? [`  … and ${left} more`] : []),
    ...(reason === undefined ? [] : field("reason", reason, sheet)),
    ...(where === "" ? [] : field("edits", where, sheet)),
    ...field("agent", actor, sheet),
  ];
}

export const conflictChoices: Choices = {
  answers: [
    { key: "a", words: "the agent's version of these places; it settles the conflict" },
    { key: "m", words: "my version of these places, with its other edits; it settles the conflict" },
    { key: "l", words: "later; its edits stay where they are" },
  ],
  escape: "l",
};

/** Returns what its agent is asked to do, "later", or null for an unclear answer. */
export function conflictReply(line: string, conflicts: readonly Conflict[]): string | null {
  const said = line.trim();
  switch (said.toLowerCase()) {
    case "a":
      return order("keep your own version", conflicts);
    case "m":
      return order("keep the checkout's version, and your edits in all other places", conflicts);
    case "l":
      return "later";
    default:
      // One word is more likely a wrong key.
      return said.includes(" ") ? `${order("do what the user writes below", conflicts)}\n\n${said}` : null;
  }
}

function order(what: string, conflicts: readonly Conflict[]): string {
  const places = conflicts.map(conflictName).join(", ");
  return `Your edits could not be merged, because they conflict with the user's checkout${places === "" ? "" : ` in ${places}`}. The user has decided: in the places in conflict, ${what}. Remove the marks of the conflict, change nothing else, and end: your edits are merged then.`;
}
