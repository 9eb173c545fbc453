import { reminderOf } from "../../context/assemble.ts";
import { escapeTags } from "../../context/escape-tags.ts";
import type { SupervisorEvent } from "../../events/event.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { PromptImages } from "./prompt-images.ts";

/** What the user has typed that the model has not read: lines that wait for their turn, and commands that they ran. */
export class UnreadInput {
  /** Prompts that arrived before their turn. */
  readonly #waiting: string[] = [];
  /** What the user has run since the last prompt. */
  readonly #ran: string[] = [];
  readonly #images: Pick<PromptImages, "of">;
  /** By the text that the main conversation was sent: what was typed, and what had been run before. */
  readonly #sent = new Map<string, { readonly typed: string; readonly ran: readonly string[] }>();
  /** What it was sent and has not read, and the turn in progress then. */
  #unread: readonly { readonly message: string; readonly typed: string; readonly turn: number }[] = [];
  #turn = 0;

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

  /** What waits to be read, as it was typed, oldest first. */
  get lines(): string[] {
    return [...this.#unread.map(({ typed }) => typed), ...this.#waiting.map((text) => this.typedAs(text))];
  }

  /** What the user typed for a text that waited. */
  typedAs(text: string): string {
    return this.#sent.get(text)?.typed ?? text;
  }

  /** Returns the lines that an event shows to be read, oldest first: the first sign of a turn comes before its record. */
  readBy(event: SupervisorEvent): string[] {
    if (event.type === "agent" && event.view.id === MAIN) this.#turn = event.view.turns + 1;
    if (this.#unread.length === 0 || !("actor" in event) || event.actor !== MAIN) return [];
    const isRead = ({ message, turn }: { readonly message: string; readonly turn: number }): boolean =>
      event.type === "queued"
        ? event.state === "read" && event.text === message
        : "turn" in event && event.turn > turn;
    const read = this.#unread.filter(isRead);
    if (read.length > 0) this.#unread = this.#unread.filter((line) => !read.includes(line));
    return read.map(({ typed }) => typed);
  }

  takeWaiting(): string[] {
    return this.#waiting.splice(0);
  }

  ran(message: string): void {
    this.#ran.push(message);
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
  tellMain(typed: string, session: Pick<SupervisorHandle, "send">, { isShown = false } = {}): void {
    if (this.#images.of(typed).length > 0) return void this.wait(typed);
    const ran = [...this.#ran];
    const message = this.withRun(typed);
    this.#sent.set(message, { typed, ran });
    if (session.send(MAIN, message) !== "queued") this.wait(message);
    else if (!isShown) this.#unread = [...this.#unread, { message, typed, turn: this.#turn }];
  }

  /** Returns what was typed and not read, oldest first, and forgets it: no model will hear it. */
  unsend(session: Pick<SupervisorHandle, "unsend"> | undefined): string[] {
    const taken = session?.unsend(MAIN) ?? [];
    const lines = [...taken, ...this.takeWaiting()].map((text) => {
      const { typed, ran } = this.#sent.get(text) ?? { typed: text, ran: [] };
      this.#ran.push(...ran);
      return typed;
    });
    this.#sent.clear();
    this.#unread = [];
    return lines;
  }
}
