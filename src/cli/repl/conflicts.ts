import type { SupervisorEvent } from "../../events/event.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { chosenKey } from "../../terminal/dialogs/choice-form.ts";
import type { ConflictOf } from "./asks/conflict.ts";
import type { Terminal } from "./terminal.ts";

export interface ConflictsParts {
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
    const { conflictChoices, conflictReply, conflictRows } = await import("./asks/conflict.ts");
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
