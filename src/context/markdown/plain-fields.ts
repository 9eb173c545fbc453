import type { Field, Fields } from "./fields.ts";

/** Tabs, control characters and characters at which some readers break lines: left to the YAML reader. */
const UNUSUAL =
  /[^\x20-\x7E\u{A0}-\u{2027}\u{202A}-\u{D7FF}\u{E000}-\u{FEFE}\u{FF00}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const INDICATOR = /^[-?:,[\]{}#&*!|>'"%@`]/;
const COLON = /: |:$/;
const PAIR = /^([A-Za-z_][\w-]*):(?: +(.*))?$/;
const ITEM = /^( *)- +(.*)$/;
/** As YAML's core schema reads them. */
const CONSTANT = /^(?:true|True|TRUE|false|False|FALSE|null|Null|NULL)$/;

/**
 * Reads what nearly all front matter is: keys, each with a word, a sentence or a plain list. Returns null if it may be
 * more; then the YAML reader, which takes time to load, decides. If this returns fields, YAML would say the same.
 */
export function parsePlainFields(header: string, headerLine: number): Fields | null {
  const fields = new Map<string, Field>();
  let list: { readonly key: string; readonly indent: number | null; readonly items: unknown[] } | null = null;
  for (const [at, raw] of header.split("\n").entries()) {
    if (UNUSUAL.test(raw)) return null;
    const line = raw.replace(/ +$/, "");
    if (line === "" || line.trimStart().startsWith("#")) continue;
    const [, spaces, item] = ITEM.exec(line) ?? [];
    if (spaces !== undefined && item !== undefined) {
      const value = parseScalar(item);
      const field = list === null ? undefined : fields.get(list.key);
      if (list === null || field === undefined || value === undefined) return null;
      if (list.indent !== null && list.indent !== spaces.length) return null;
      list = { key: list.key, indent: spaces.length, items: [...list.items, value] };
      fields.set(list.key, { value: list.items, line: field.line });
      continue;
    }
    const [, key, rest = ""] = PAIR.exec(line) ?? [];
    if (key === undefined || CONSTANT.test(key) || fields.has(key)) return null;
    const value = rest === "" ? null : isSentence(rest) ? rest : parseScalar(rest);
    if (value === undefined) return null;
    fields.set(key, { value, line: headerLine + at });
    list = rest === "" ? { key, indent: null, items: [] } : null;
  }
  return fields;
}

/** Text with a colon: YAML refuses it as a value, every second description has one, and the YAML reader takes it as is. */
function isSentence(text: string): boolean {
  return COLON.test(text) && !INDICATOR.test(text);
}

/** Returns undefined if it is more than a plain or quoted word, or one that YAML may read as something else. */
function parseScalar(text: string): string | number | boolean | null | undefined {
  const [, double, single] = /^(?:"([^"\\]*)"|'([^']*)')$/.exec(text) ?? [];
  const quoted = double ?? single;
  if (quoted !== undefined) return quoted;
  if (INDICATOR.test(text) || COLON.test(text) || text.includes(" #")) return undefined;
  if (CONSTANT.test(text)) return JSON.parse(text.toLowerCase());
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return /^[-+.~\d]/.test(text) ? undefined : text;
}
