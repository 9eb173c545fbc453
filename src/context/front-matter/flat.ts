import type { Field, Fields } from "./fields.ts";

/** What a line of plain front matter has no need of: tabs, control characters, marks that some readers break lines at. */
const ODD =
  /[^\x20-\x7E\u{A0}-\u{2027}\u{202A}-\u{D7FF}\u{E000}-\u{FEFE}\u{FF00}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
/** With which a value is more than plain words. */
const SIGNS = /^[-?:,[\]{}#&*!|>'"%@`]/;
const MARKS = /: |:$/;
const PAIR = /^([A-Za-z_][\w-]*):(?: +(.*))?$/;
const ITEM = /^( *)- +(.*)$/;
/** As YAML's core schema reads them. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map(
  [true, false, null].flatMap((value) => {
    const word = String(value);
    const title = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
    return [word, title, word.toUpperCase()].map((spelt) => [spelt, value] as const);
  }),
);

/**
 * Reads what nearly all front matter is: keys with a word, a sentence or a plain list each. Null where it is more than
 * that, or may be: then YAML's own reader is asked, which has to be loaded. Where this one answers, both say the same.
 */
export function flatFields(header: string, headerLine: number): Fields | null {
  const fields = new Map<string, Field>();
  let open: {
    readonly key: string;
    readonly indent: number | null;
    readonly items: readonly unknown[];
  } | null = null;
  for (const [at, raw] of header.split("\n").entries()) {
    if (ODD.test(raw)) return null;
    const line = raw.replace(/ +$/, "");
    if (line === "" || line.trimStart().startsWith("#")) continue;
    const [, spaces, item] = ITEM.exec(line) ?? [];
    if (spaces !== undefined && item !== undefined) {
      const value = scalar(item);
      const field = open === null ? undefined : fields.get(open.key);
      if (open === null || field === undefined || value === undefined) return null;
      // Items of one list stand below each other.
      if (open.indent !== null && open.indent !== spaces.length) return null;
      open = { key: open.key, indent: spaces.length, items: [...open.items, value] };
      fields.set(open.key, { value: open.items, line: field.line });
      continue;
    }
    const [, key, rest = ""] = PAIR.exec(line) ?? [];
    if (key === undefined || WORDS.has(key) || fields.has(key)) return null;
    const value = rest === "" ? null : isSentence(rest) ? rest : scalar(rest);
    if (value === undefined) return null;
    fields.set(key, { value, line: headerLine + at });
    open = rest === "" ? { key, indent: null, items: [] } : null;
  }
  return fields;
}

/**
 * Words with a colon in them, which YAML refuses behind a key, and every second description has: `yamlFields` would take
 * them as they stand, too.
 */
function isSentence(text: string): boolean {
  return MARKS.test(text) && !SIGNS.test(text);
}

/** Undefined: more than a plain or quoted word, or one that is read as something else. */
function scalar(text: string): string | number | boolean | null | undefined {
  const [, double, single] = /^(?:"([^"\\]*)"|'([^']*)')$/.exec(text) ?? [];
  const quoted = double ?? single;
  if (quoted !== undefined) return quoted;
  if (SIGNS.test(text) || MARKS.test(text) || text.includes(" #")) return undefined;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return /^[-+.~\d]/.test(text) ? undefined : text;
}
