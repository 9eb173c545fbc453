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
      const found = quotationAt(text, at, raw);
      if (found === undefined) return undefined;
      at = found.end;
      return found.value;
    },
    line() {
      const [line = ""] = splitOutsideQuotes(text.slice(at), "\n", 1);
      at = Math.min(text.length, at + line.length);
      return line.trim();
    },
    mark: () => at,
    back(mark) {
      at = mark;
    },
  };
}

/** Cuts a text at these signs where they stand outside quotations; at most `most` cuts. */
export function splitOutsideQuotes(text: string, signs: string, most = Number.POSITIVE_INFINITY): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length && parts.length < most; at++) {
    const sign = text.charAt(at);
    if (signs.includes(sign)) {
      parts.push(text.slice(from, at));
      from = at + 1;
    } else if (opensQuotation(text, at)) at = (quotationAt(text, at)?.end ?? at + 1) - 1;
  }
  return [...parts, text.slice(from)];
}

/** The apostrophe of "don't" opens nothing. */
function opensQuotation(text: string, at: number): boolean {
  return QUOTES.has(text.charAt(at)) && !(text.charAt(at) === "'" && /\w/.test(text.charAt(at - 1)));
}

/** Opening quote to closing quote. A quote of a kind may be opened by one sign and closed by another. */
const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["‘", "’"],
  ["「", "」"],
  ["『", "』"],
  ["«", "»"],
]);

/** What is quoted at a place, and where the quotation ends. An apostrophe inside a word closes nothing. */
function quotationAt(text: string, at: number, raw = false): { value: string; end: number } | undefined {
  const open = text.charAt(at);
  const close = QUOTES.get(open);
  if (close === undefined) return undefined;
  let value = "";
  for (let place = at + 1; place < text.length; place++) {
    const sign = text.charAt(place);
    if (sign === "\\" && place + 1 < text.length) {
      value += escapeOf(text.charAt(place + 1), close, raw || open === "`");
      place += 1;
    } else if (sign === close && !(close === "'" && /\w/.test(text.charAt(place + 1)))) {
      return { value, end: place + 1 };
    } else value += sign;
  }
  return undefined;
}

/** `\n`, `\t` and a quoted quote mean what they mean in code; any other backslash is kept. */
function escapeOf(sign: string, close: string, raw: boolean): string {
  if (sign === close) return sign;
  if (raw) return `\\${sign}`;
  switch (sign) {
    case "n":
      return "\n";
    case "t":
      return "\t";
    case "\\":
    case '"':
    case "'":
      return sign;
    default:
      return `\\${sign}`;
  }
}
