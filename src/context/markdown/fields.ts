import { nearName } from "../../lib/near-name.ts";

/** One key of front matter; `line` is the file's, from 1. */
export interface Field {
  readonly value: unknown;
  readonly line: number;
}
export type Fields = ReadonlyMap<string, Field>;

/** Something in a Markdown file that the user should correct; `message` is a sentence. */
export interface FieldProblem {
  readonly line: number;
  readonly message: string;
  /** The key whose value cannot be read. */
  readonly key?: string;
}

/** The same with its file; `file` is null for what a flag says, `line` is null for the whole file. */
export interface FileProblem {
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
}

export function formatProblem({ file, line, message }: FileProblem): string {
  return file === null ? message : `${file}${line === null ? "" : `:${line}`} ${message}`;
}

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

/** What a value means; `wrong` and `note` end a sentence that begins with the key. */
export type Meant<T> = { readonly value: T; readonly note?: string } | { readonly wrong: string };
export type Meaning<T> = (value: unknown) => Meant<T>;

export function fieldReader(fields: Fields, known: KnownKeys) {
  const byKey = new Map([...fields].map(([key, field]) => [plainKey(key), { key, ...field }]));
  const misspelled = misspelledKeys(fields, known);
  const problems: FieldProblem[] = misspelled.map(({ line, message }) => ({ line, message }));
  const find = (key: string) => {
    const field = byKey.get(plainKey(key));
    return field?.value === null ? undefined : field;
  };
  return {
    problems,
    misspelled,
    /** The value of a key, however its case and separators are written; undefined if it is absent, empty or wrong. */
    take<T>(key: string, meaning: Meaning<T>): T | undefined {
      const field = find(key);
      if (field === undefined) return undefined;
      const meant = meaning(field.value);
      const problem = "wrong" in meant ? `${meant.wrong}; it does not count` : meant.note;
      if (problem !== undefined) problems.push({ line: field.line, message: `${field.key} ${problem}.` });
      return "wrong" in meant ? undefined : meant.value;
    },
    /** The key as it is written; undefined if it is absent or empty. */
    field: find,
    /** Reports a problem of a key that is there. */
    report(key: string, message: string): void {
      const field = find(key);
      if (field !== undefined) problems.push({ line: field.line, message });
    },
  };
}

/** A word or a sentence; YAML reads some words as numbers. */
export const readText: Meaning<string> = (value) =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? { value: String(value) }
    : { wrong: "must be text" };

export const readFlag: Meaning<boolean> = (value) => {
  const word = String(value).trim().toLowerCase();
  if (["true", "yes", "on", "1"].includes(word)) return { value: true };
  if (["false", "no", "off", "0"].includes(word)) return { value: false };
  return { wrong: "must be true or false" };
};

const MAX_NAMES = 500;
const MAX_NAME_CHARS = 2_000;

/**
 * Names as people list them: a list, or one line with commas or spaces between them. What is in parentheses belongs to
 * its name: `Bash(git add:*), Read`.
 */
export const names: Meaning<readonly string[]> = (value) => {
  const given = Array.isArray(value) ? value : [value];
  if (!given.every((one): one is string => typeof one === "string"))
    return { wrong: "must be names, as a list or with commas between them" };
  const all = given.flatMap(splitNames).filter((name) => name !== "");
  if (all.length > MAX_NAMES) return { wrong: `must be no more than ${MAX_NAMES} names` };
  if (all.some((name) => name.length > MAX_NAME_CHARS))
    return { wrong: `must be names of no more than ${MAX_NAME_CHARS} characters` };
  return { value: [...new Set(all)] };
};

function splitNames(line: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let name = "";
  for (const sign of line) {
    if (depth === 0 && /[\s,]/.test(sign)) {
      found.push(name);
      name = "";
      continue;
    }
    if (sign === "(") depth += 1;
    if (sign === ")") depth = Math.max(0, depth - 1);
    name += sign;
  }
  return [...found, name].map((one) => one.replace(/^["'`[]+|["'`\]]+$/g, ""));
}

/** Keys that other programs read from the same files and that are similar to known ones. */
const ELSEWHERE: ReadonlySet<string> = new Set(["mode", "permission", "version", "license", "metadata"]);
/** What is farther away is the author's own key. */
const MOST_EDITS = 2;
const MAX_REPORTED = 5;

export interface KnownKeys {
  /** For messages: `an agent`. */
  readonly of: string;
  readonly known: readonly string[];
  /** Keys that mean a known one elsewhere, by how they are written there. */
  readonly meant: Readonly<Record<string, string>>;
}

/** A key that is most likely a known one, misspelled. */
export interface MisspelledKey extends FieldProblem {
  readonly meant: string;
}

/** Returns keys with a value that are unknown and near a known one that is absent. Authors may note anything else. */
export function misspelledKeys(fields: Fields, { of, known, meant }: KnownKeys): readonly MisspelledKey[] {
  // Nearly always, and there may be hundreds of files.
  if ([...fields.keys()].every((key) => known.includes(key))) return [];
  const plainKnown = new Set(known.map(plainKey));
  const present = new Set([...fields.keys()].map(plainKey));
  const absent = known.filter((key) => !present.has(plainKey(key)));
  return [...fields]
    .flatMap(([key, { value, line }]): MisspelledKey[] => {
      const plain = plainKey(key);
      if (value === null || plainKnown.has(plain) || ELSEWHERE.has(plain)) return [];
      const other = Object.entries(meant).find(([one]) => plainKey(one) === plain)?.[1];
      const near =
        other === undefined
          ? nearName(key, absent, MOST_EDITS)
          : (absent.find((one) => one === other) ?? null);
      const message = `${key} is not a key of ${of}, so it does not count; the nearest is ${near}.`;
      return near === null ? [] : [{ line, message, meant: near }];
    })
    .slice(0, MAX_REPORTED);
}

/** Returns the form in which `disallowed-tools`, `disallowed_tools` and `disallowedTools` are one key. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, "");
}
