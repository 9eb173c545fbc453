import { errorMessage } from "../lib/errors.ts";
import { type SentEdits, TooLargeError } from "../mailbox/runners.ts";
import type { Notice } from "../supervisor/notices.ts";
import type { AttemptFiles } from "./attempt-files.ts";

export interface EditSenderParts {
  readonly files: Pick<AttemptFiles, "exportEdits" | "acceptEdits">;
  /** Aborted when the agent must stop. */
  readonly stopping: AbortSignal;
  /** The agent hears of it with its next turn. */
  tell(notice: Notice): void;
  /** Its files cannot be sent: what it does after that would be lost. */
  onFault(reason: string): void;
}

/** Times that work is sent which the session could not take: git may be busy there. */
const MOST_TRIES = 3;

/** Sends an agent's edits along with what it tells its session, in order. */
export class EditSender {
  readonly #parts: EditSenderParts;
  /** Resolves when what has ended before was sent, so that a turn never overtakes its calls. */
  #posted: Promise<void> = Promise.resolve();
  #hasChanged = false;
  #tooLarge: string | null = null;

  constructor(parts: EditSenderParts) {
    this.#parts = parts;
  }

  /** Why its newest edits cannot be sent; null if they can. */
  get tooLarge(): string | null {
    return this.#tooLarge;
  }

  /** Something may have changed its files. */
  noteChange(): void {
    this.#hasChanged = true;
  }

  /** Resolves when the edits of earlier posts are exported. */
  settle(): Promise<void> {
    return this.#posted;
  }

  /**
   * Posts with the edits that are new. What the session could not take is sent again: a call whose end is never recorded would hold
   * its files. Never resolves if they cannot be sent: no answer must let the agent continue.
   */
  send<T>(post: (edits: { readonly edits?: SentEdits }) => Promise<T>, tries = 1): Promise<T> {
    const edits = this.#posted.then(() => this.#newEdits());
    this.#posted = edits.then(
      () => {},
      () => {},
    );
    return edits.then(async (given) => {
      try {
        const answer = await post(given);
        if (given.edits) this.#parts.files.acceptEdits(given.edits);
        return answer;
      } catch (error) {
        // They were not taken: the next request brings them again.
        this.#hasChanged ||= given.edits !== undefined;
        if (this.#parts.stopping.aborted) throw error;
        if (tries < MOST_TRIES) return this.send(post, tries + 1);
        return this.#fail(`its session could not take its work: ${errorMessage(error)}`);
      }
    });
  }

  async #newEdits(): Promise<{ readonly edits?: SentEdits }> {
    if (!this.#hasChanged) return {};
    this.#hasChanged = false;
    try {
      const edits = await this.#parts.files.exportEdits();
      this.#tooLarge = null;
      return edits === null ? {} : { edits };
    } catch (error) {
      if (!(error instanceof TooLargeError))
        return this.#fail(`its edits could not be sent: ${errorMessage(error)}`);
      this.#noteTooLarge(
        `The changes of the agent since its last turn cannot be sent to its session: ${error.message}`,
      );
      return {};
    }
  }

  /** It can remove what is too large, and is asked to. */
  #noteTooLarge(reason: string): void {
    this.#hasChanged = true;
    const text = `${reason} Delete the large files, or let git ignore them, before you go on or end.`;
    if (this.#tooLarge === null) this.#parts.tell({ title: "too much to send", text });
    this.#tooLarge = reason;
  }

  #fail(reason: string): Promise<never> {
    this.#parts.onFault(reason);
    return new Promise(() => {});
  }
}
