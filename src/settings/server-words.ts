import { canonicalJson, isObject } from "../lib/json.ts";
import { shellWord } from "../lib/text.ts";

/** How a field of an entry is typed, in the order in which one types them; null if its value has another form. */
const forms: Readonly<Record<string, (value: unknown) => readonly string[] | null>> = {
  env: (value) => pairs(value, (name, text) => `${typed(name)}=${typed(text)}`),
  // A quoted word with = is no variable.
  command: (value) => (isText(value) ? [value.includes("=") ? shellWord(value) : typed(value)] : null),
  args: (value) => (Array.isArray(value) && value.every(isText) ? value.map(typed) : null),
  url: (value) => (isText(value) ? [typed(value)] : null),
  headers: (value) => pairs(value, (name, text) => `-H ${typed(`${name}: ${text}`)}`),
};

/**
 * Returns what an entry of an MCP or language server starts or reaches, as one would type it: `PORT=1 npx db`, or an address with
 * its headers. Nothing is left out, as users agree to it: all else follows as JSON.
 */
export function serverWords(entry: unknown): string {
  if (!isObject(entry)) return canonicalJson(entry);
  const ofAddress = Object.hasOwn(entry, "command") ? ["url", "headers"] : [];
  const shown = Object.entries(forms).map(
    ([field, form]) => [field, ofAddress.includes(field) ? null : form(entry[field])] as const,
  );
  const known = new Set(shown.flatMap(([field, words]) => (words === null ? [] : [field])));
  const others = Object.entries(entry).filter(([field]) => !known.has(field));
  const rest = others.length === 0 ? [] : [canonicalJson(Object.fromEntries(others))];
  return [...shown.flatMap(([, words]) => words ?? []), ...rest].join(" ");
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function pairs(value: unknown, form: (name: string, text: string) => string): string[] | null {
  if (!isObject(value) || !Object.values(value).every(isText)) return null;
  return Object.entries(value).map(([name, text]) => form(name, String(text)));
}

function typed(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text);
}
