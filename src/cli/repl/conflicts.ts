import type { SupervisorEvent, WaitingForUser } from "../../events/event.ts";
import { conflictName } from "../../features/isolation/worktree-result.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Conflict } from "../../mailbox/worktree.ts";
import { type Choices, chosenKey } from "../../terminal/dialogs/choice-form.ts";
import { visibleLine } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { field, type Sheet } from "./asks/shown.ts";
import type { Terminal } from "./terminal.ts";

type ConflictOf = Extract<WaitingForUser, { type: "result" }>;

interface ConflictsParts {
  readonly terminal: Terminal;
  /** Resumes the agent with this text; its result is shown when it arrives. */
  resume(id: ActorId, text: string): void;
}

/** Edits that conflict with the checkout: the user is asked once for each, between turns. */
export class Conflicts {
  readonly #parts: ConflictsParts;
  readonly #open = new Map<string, ConflictOf>();
  /** Withdraws the question that is shown. */
  #asked: { readonly id: string; readonly withdraw: AbortController } | null = null;

  constructor(parts: ConflictsParts) {
    this.#parts = parts;
  }

  onEvent(event: SupervisorEvent): void {
    if (event.type === "asked" && event.what.type === "result" && event.what.decision === "conflict")
      this.#open.set(event.id, event.what);
    if (event.type === "settled") this.#withdraw(event.id);
  }

  /** Forgets those of a session that is replaced. */
  forget(): void {
    for (const id of [...this.#open.keys(), this.#asked?.id ?? ""]) this.#withdraw(id);
  }

  /** Asks for all that wait; never rejects. */
  async ask(): Promise<void> {
    for (const [id, conflict] of this.#open) {
      if (this.#asked !== null) return;
      this.#open.delete(id);
      this.#asked = { id, withdraw: new AbortController() };
      const text = await this.#answerTo(conflict, this.#asked.withdraw.signal);
      this.#asked = null;
      if (text !== null && text !== "later") this.#parts.resume(conflict.actor, text);
    }
  }

  async #answerTo(conflict: ConflictOf, signal: AbortSignal): Promise<string | null> {
    const { terminal } = this.#parts;
    const { conflicts = [] } = conflict.summary.worktree ?? {};
    return terminal.dialog(async ({ print, question }) => {
      const sheet = { paint: terminal.paint, columns: terminal.columns() };
      print(conflictRows(conflict, sheet).join("\n"));
      for (;;) {
        const line = signal.aborted ? null : await question("answer › ", signal, conflictChoices);
        if (line === null) return null;
        const reply = conflictReply(chosenKey(line, conflictChoices), conflicts);
        const later = `Left as it is: /worktrees lists it, and ! troupe worktrees merge ${conflict.actor} tries again.`;
        if (reply === "later") print(terminal.paint("dim", later));
        if (reply !== null) return reply;
        print(terminal.paint("yellow", "Type a, m or l and Enter, or write what its agent must do."));
      }
    }, true);
  }

  #withdraw(id: string): void {
    this.#open.delete(id);
    if (this.#asked?.id === id) this.#asked.withdraw.abort();
  }
}

/** Paths that are named; `troupe worktrees diff` shows all. */
const MOST_PATHS = 12;

function conflictRows({ actor, title, summary: { worktree } }: ConflictOf, sheet: Sheet): string[] {
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

const conflictChoices: Choices = {
  answers: [
    { key: "a", words: "the agent's version of these places; it settles the conflict" },
    { key: "m", words: "my version of these places, with its other edits; it settles the conflict" },
    { key: "l", words: "later; its edits stay where they are" },
  ],
  escape: "l",
};

/** Returns what its agent is asked to do, "later", or null for an unclear answer. */
function conflictReply(line: string, conflicts: readonly Conflict[]): string | null {
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
