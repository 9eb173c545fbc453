import { reminderOf } from "../../context/assemble.ts";
import { escapeTags } from "../../context/escape-tags.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { PromptImages } from "./prompt-images.ts";
import type { ReplSession } from "./repl-session.ts";

/** What the user has typed that the model has not read: lines that wait for their turn, and commands that they ran. */
export class UnreadInput {
  /** Prompts that arrived before their turn. */
  readonly #waiting: string[] = [];
  /** What the user has run since the last prompt. */
  readonly #ran: string[] = [];
  readonly #images: Pick<PromptImages, "of">;
  /** By the text that the main conversation was sent: what was typed, and what had been run before. */
  readonly #sent = new Map<string, { readonly typed: string; readonly ran: readonly string[] }>();

  constructor(images: Pick<PromptImages, "of">) {
    this.#images = images;
  }

  wait(text: string): void {
    this.#waiting.push(text);
  }

  waitFirst(text: string): void {
    this.#waiting.unshift(text);
  }

  /** Returns the next line whose turn it is. */
  next(): string | undefined {
    return this.#waiting.shift();
  }

  takeWaiting(): string[] {
    return this.#waiting.splice(0);
  }

  ran(told: string): void {
    this.#ran.push(told);
  }

  /** The prompt, and below it what the user has run since the last one. */
  withRun(text: string): string {
    const ran = this.#ran.splice(0);
    return ran.length === 0 ? text : `${text}\n\n${reminderOf(ran.map(escapeTags))}`;
  }

  /**
   * While it works it gets the text at the next turn; an ending conversation gets it as its next prompt. Images come only
   * with a prompt, so a text that has some waits for its turn.
   */
  tellMain(typed: string, session: Pick<ReplSession, "send">): void {
    if (this.#images.of(typed).length > 0) return void this.wait(typed);
    const ran = [...this.#ran];
    const told = this.withRun(typed);
    this.#sent.set(told, { typed, ran });
    if (session.send(MAIN, told) !== "queued") this.wait(told);
  }

  /** Returns what was typed and not read, oldest first, and forgets it: no model will hear it. */
  unsend(session: Pick<ReplSession, "unsend"> | undefined): string[] {
    const taken = session?.unsend(MAIN) ?? [];
    const lines = [...taken, ...this.takeWaiting()].map((text) => {
      const { typed, ran } = this.#sent.get(text) ?? { typed: text, ran: [] };
      this.#ran.push(...ran);
      return typed;
    });
    this.#sent.clear();
    return lines;
  }
}
