import { stripVTControlCharacters } from "node:util";

/** The end of a text that may be endless. */
export class TailText {
  readonly #chars: number;
  #kept = "";

  constructor(chars: number) {
    this.#chars = chars;
  }

  add(text: string): void {
    const all = this.#kept + text;
    this.#kept = all.length > this.#chars ? all.slice(-this.#chars) : all;
  }

  /** Without what would move a terminal's cursor. */
  text(): string {
    return printable(this.#kept).trim();
  }
}

/** Words of a server, fit to stand in a sentence: no control characters but line breaks and tabs. */
export function printable(text: string): string {
  return stripVTControlCharacters(text.toWellFormed()).replace(/[^\P{Cc}\n\t]/gu, "");
}
