import { findOutsideQuotes, quotationReader } from "./quotations.ts";

/** A place in a text from which the next word, quotation or line is taken. */
export interface Scanner {
  readonly atEnd: () => boolean;
  /** Whether the pattern matches right here, blanks included. */
  readonly sees: (pattern: RegExp) => boolean;
  /** Takes what the pattern matches behind any blanks, or nothing. */
  readonly take: (pattern: RegExp) => string | undefined;
  /** Takes a quotation and gives what it quotes; `raw` keeps its backslashes. */
  readonly quotation: (raw?: boolean) => string | undefined;
  /** Takes the rest of the line; a quotation may hold further lines. */
  readonly line: () => string;
  readonly mark: () => number;
  readonly back: (mark: number) => void;
}

export function scannerOf(text: string): Scanner {
  const read = quotationReader(text);
  let at = 0;
  const match = (pattern: RegExp) => {
    const sticky = new RegExp(pattern.source, `${pattern.flags}y`);
    sticky.lastIndex = at;
    return sticky.exec(text)?.[0];
  };
  const take = (pattern: RegExp) => {
    const blank = /\s/.test(text.charAt(at)) ? (match(/\s+/)?.length ?? 0) : 0;
    at += blank;
    const found = match(pattern);
    at = found === undefined ? at - blank : at + found.length;
    return found;
  };
  return {
    atEnd: () => match(/\s*$/) !== undefined,
    sees: (pattern) => match(pattern) !== undefined,
    take,
    quotation(raw = false) {
      take(/(?=\S)/);
      const found = read(at, raw);
      if (found === undefined) return undefined;
      at = found.end;
      return found.value;
    },
    line() {
      const from = at;
      at = findOutsideQuotes(text, "\n", from, read);
      return text.slice(from, at).trim();
    },
    mark: () => at,
    back(mark) {
      at = mark;
    },
  };
}
