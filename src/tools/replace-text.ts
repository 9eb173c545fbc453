import { placesOf, type Span } from "./find-text.ts";
import { usesCrlf, withCrlf } from "./line-endings.ts";

/** Which reading of `old_string` was found. */
export type Reading = "exact" | "without line numbers" | "with straight quotes" | "both";

export type Replacement =
  | {
      readonly type: "replaced";
      readonly text: string;
      readonly count: number;
      readonly reading: Reading;
      /** Line of the first change, from 1. */
      readonly line: number;
    }
  | { readonly type: "missing" }
  | { readonly type: "ambiguous"; readonly count: number; readonly lines: readonly number[] };

interface Attempt {
  readonly reading: Reading;
  readonly text: string;
  readonly old: string;
  readonly fresh: string;
}

const LINES_NAMED = 10;

/**
 * Replaces one text by another: the one place where it stands, or `all` of them. Line ends are matched as Read
 * shows them, and what is put in gets those of its place. Only when the exact text is nowhere, it is looked for
 * without the line numbers of Read, then with straight quotes for curly ones (A9.5, A9.6); of these readings
 * the first that is found in one place (or with `all`, anywhere) counts.
 */
export function replaceText(text: string, old: string, fresh: string, all: boolean): Replacement {
  // Nothing stands between any two characters.
  if (old === "") return { type: "missing" };
  let ambiguous: Replacement | undefined;
  for (const attempt of attempts(text, old, fresh)) {
    const spans = placesOf(attempt.text, attempt.old, all);
    const [first] = spans;
    if (first === undefined) continue;
    if (spans.length === 1 || all)
      return {
        type: "replaced",
        text: spliced(text, spans, attempt),
        count: spans.length,
        reading: attempt.reading,
        line: lineAt(text, first.start),
      };
    ambiguous ??= {
      type: "ambiguous",
      count: spans.length,
      lines: [...new Set(spans.slice(0, LINES_NAMED).map(({ start }) => lineAt(text, start)))],
    };
    if (attempt.reading === "exact") break;
  }
  return ambiguous ?? { type: "missing" };
}

function* attempts(text: string, old: string, fresh: string): Generator<Attempt> {
  yield { reading: "exact", text, old, fresh };
  const bare = { old: withoutLineNumbers(old), fresh: withoutLineNumbers(fresh) };
  const numbered = bare.old !== old && bare.old !== "";
  if (numbered) yield { reading: "without line numbers", text, ...bare };
  // Each curly quote is one character, as its straight one is: places stay the same.
  const straight = { text: withStraightQuotes(text), old: withStraightQuotes(old) };
  if (straight.text === text && straight.old === old) return;
  yield { reading: "with straight quotes", ...straight, fresh };
  if (numbered)
    yield { reading: "both", text: straight.text, old: withStraightQuotes(bare.old), fresh: bare.fresh };
}

/** Read's own form, a number and a tab; or blanks, a number and an arrow (A22.12). */
function withoutLineNumbers(text: string): string {
  return text.replace(/^[^\S\n]*\d+(?:\t|→)/gm, "");
}

function withStraightQuotes(text: string): string {
  return text.replace(/[“”„‟]/g, '"').replace(/[‘’‚‛]/g, "'");
}

function spliced(text: string, spans: readonly Span[], attempt: Attempt): string {
  const lineEnds = endsFor(text, attempt);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(from, start), lineEnds(text.slice(start, end)));
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** What replaces a piece of the text: with its line ends where it has any, else with the file's. */
function endsFor(text: string, { old, fresh }: Attempt): (replaced: string) => string {
  const asItIs = old.includes("\r") || fresh.includes("\r") || !fresh.includes("\n");
  if (asItIs || !text.includes("\r\n")) return () => fresh;
  const crlf = withCrlf(fresh);
  const usual = usesCrlf(text) ? crlf : fresh;
  return (replaced) => {
    if (replaced.includes("\r\n")) return crlf;
    return replaced.includes("\n") ? fresh : usual;
  };
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
