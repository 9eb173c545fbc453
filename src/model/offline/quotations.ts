/** What is quoted, and where the quotation ends. */
export interface Quotation {
  readonly value: string;
  readonly end: number;
}

/** Reads the quotation that opens at a place of one text; `raw` keeps its backslashes. */
export type QuotationReader = (at: number, raw?: boolean) => Quotation | undefined;

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

export function quotationReader(text: string): QuotationReader {
  // A quote that nothing closes is looked for once, not again from each sign like it.
  const unclosed = new Set<string>();
  return (at, raw = false) => {
    const open = text.charAt(at);
    const close = QUOTES.get(open);
    if (close === undefined || unclosed.has(open)) return undefined;
    const found = closedBy(text, at, close, raw || open === "`");
    if (found === undefined) unclosed.add(open);
    return found;
  };
}

/** An apostrophe inside a word closes nothing. */
function closedBy(text: string, from: number, close: string, raw: boolean): Quotation | undefined {
  let value = "";
  for (let at = from + 1; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "\\" && at + 1 < text.length) {
      value += escapeOf(text.charAt(at + 1), close, raw);
      at += 1;
    } else if (sign === close && !(close === "'" && /\w/.test(text.charAt(at + 1)))) {
      return { value, end: at + 1 };
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

/** Where the next of these signs stands that is not in a quotation, from a place on; the text's end if nowhere. */
export function findOutsideQuotes(text: string, signs: string, from: number, read: QuotationReader): number {
  for (let at = from; at < text.length; at++) {
    if (signs.includes(text.charAt(at))) return at;
    at = endOfQuotation(text, at, read) - 1;
  }
  return text.length;
}

/** The place after the quotation that opens here, or after this one sign. */
function endOfQuotation(text: string, at: number, read: QuotationReader): number {
  // The apostrophe of "don't" opens nothing.
  const inWord = text.charAt(at) === "'" && /\w/.test(text.charAt(at - 1));
  return (inWord ? undefined : read(at))?.end ?? at + 1;
}

/** Cuts a text at what matches outside quotations, and leaves that out. */
export function cutOutsideQuotes(text: string, joint: RegExp): string[] {
  const read = quotationReader(text);
  let bare = "";
  for (let at = 0; at < text.length; at = bare.length) {
    const end = endOfQuotation(text, at, read);
    bare += end === at + 1 ? text.charAt(at) : "\0".repeat(end - at);
  }
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: found } of bare.matchAll(joint)) {
    parts.push(text.slice(from, index));
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
}

/** Cuts a text at these signs where they stand outside quotations. */
export function splitOutsideQuotes(text: string, signs: string): string[] {
  const read = quotationReader(text);
  const parts: string[] = [];
  for (let from = 0; from <= text.length; ) {
    const end = findOutsideQuotes(text, signs, from, read);
    parts.push(text.slice(from, end));
    from = end + 1;
  }
  return parts;
}
