import type { Field, FieldProblem, Fields } from "./fields.ts";
import { type KnownKeys, type MisspelledKey, misspelledKeys, plainKey } from "./misspelled-keys.ts";

/** What a value means; `wrong` and `note` end a sentence that begins with the key. */
export type Meant<T> = { readonly value: T; readonly note?: string } | { readonly wrong: string };
export type Meaning<T> = (value: unknown) => Meant<T>;

export interface FieldReader {
  readonly problems: FieldProblem[];
  readonly misspelled: readonly MisspelledKey[];
  /** The value of a key, however its case and separators are written; undefined if it is absent, empty or wrong. */
  take<T>(key: string, meaning: Meaning<T>): T | undefined;
  /** The key as it is written; undefined if it is absent or empty. */
  field(key: string): (Field & { readonly key: string }) | undefined;
}

export function fieldReader(fields: Fields, known: KnownKeys): FieldReader {
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
    take(key, meaning) {
      const field = find(key);
      if (field === undefined) return undefined;
      const meant = meaning(field.value);
      const problem = "wrong" in meant ? `${meant.wrong}; it does not count` : meant.note;
      if (problem !== undefined) problems.push({ line: field.line, message: `${field.key} ${problem}.` });
      return "wrong" in meant ? undefined : meant.value;
    },
    field: find,
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
