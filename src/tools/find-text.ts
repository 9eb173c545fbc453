/** Where something stands in a text, in UTF-16 units; `end` is the first one after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** As many comparisons at worst take about a tenth of a second. */
const QUICKLY_COMPARED = 100_000_000;
const LF = 10;
const CR = 13;

/**
 * Every place of `wanted`, which is not empty; those of `all` do not overlap, else one place can be taken for
 * another. A line feed in it stands for CRLF too, except where it names carriage returns itself. Whatever the two
 * are, this takes a time in proportion to their length: a file of equal lines must not hold up its agent. Up to
 * `quickly` comparisons the system's own search is faster, whose time is that of both lengths multiplied.
 */
export function placesOf(text: string, wanted: string, all: boolean, quickly = QUICKLY_COMPARED): Span[] {
  // A text that names its carriage returns means them.
  const isFolded = wanted.includes("\n") && !wanted.includes("\r") && text.includes("\r\n");
  if (isFolded || text.length * wanted.length > quickly) return steadily(text, wanted, all, isFolded);
  const spans: Span[] = [];
  for (let start = text.indexOf(wanted); start >= 0; ) {
    const end = start + wanted.length;
    spans.push({ start, end });
    start = text.indexOf(wanted, all ? end : start + 1);
  }
  return spans;
}

/** Knuth, Morris and Pratt: each sign of the text is looked at once. `isFolded`: CRLF is one sign, a line feed. */
function steadily(text: string, wanted: string, all: boolean, isFolded: boolean): Span[] {
  const { length } = wanted;
  const shorter = overlapsOf(wanted);
  /** Where each of the last signs began; a place is as long as the line ends in it. */
  const begun = new Uint32Array(length);
  const spans: Span[] = [];
  let matched = 0;
  for (let at = 0, sign = 0; at < text.length; sign += 1) {
    begun[sign % length] = at;
    const isPair = isFolded && text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF;
    const code = isPair ? LF : text.charCodeAt(at);
    at += isPair ? 2 : 1;
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = shorter[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched += 1;
    if (matched < length) continue;
    spans.push({ start: begun[(sign + 1) % length] ?? 0, end: at });
    matched = all ? 0 : (shorter[length - 1] ?? 0);
  }
  return spans;
}

/** For each beginning of the text: how long a shorter beginning it ends with. */
function overlapsOf(text: string): Uint32Array {
  const overlaps = new Uint32Array(text.length);
  for (let at = 1, length = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== code) length = overlaps[length - 1] ?? 0;
    if (text.charCodeAt(length) === code) length += 1;
    overlaps[at] = length;
  }
  return overlaps;
}
