import { SECRET_PATTERNS, type SecretPattern } from "./patterns.ts";

export interface Secrets {
  /** Known credentials, verbatim; those of fewer than 8 characters are ignored. */
  readonly values: readonly string[];
  /** In addition to the patterns that are always searched. */
  readonly patterns?: readonly SecretPattern[];
}

/** How to redact, as data that can be sent to a thread. */
export interface RedactedText {
  /** Matches every text that has a secret in it, also as a JSON string. Most texts end here. */
  readonly suspect: RegExp;
  readonly replace: readonly { readonly find: RegExp; readonly by: string }[];
}

export function redactionOf({ values, patterns = [] }: Secrets): RedactedText {
  const all = [...SECRET_PATTERNS, ...patterns];
  const known = knownValues(values);
  const hints = all.map(({ hint }) => hint.source);
  const inJson = known.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const exact = known.length > 0 ? [{ find: anyOf(known, "g"), by: "[redacted credential]" }] : [];
  return {
    suspect: new RegExp([...hints, ...new Set(inJson.map((value) => RegExp.escape(value)))].join("|")),
    replace: [
      ...exact,
      ...all.map(({ name, find }) => ({
        find,
        by: `${find.source.includes("(?<kept>") ? "$<kept>" : ""}[redacted ${name}]`,
      })),
    ],
  };
}

/** Removes the secrets from a text, for logs and for what the user sees of them. */
export function redactor(secrets: Secrets): (text: string) => string {
  const { suspect, replace } = redactionOf(secrets);
  return (text) => {
    if (!suspect.test(text)) return text;
    return replace.reduce((rest, { find, by }) => rest.replace(find, by), text);
  };
}

/** The longest first: one may be the prefix of another. */
function knownValues(values: readonly string[]): string[] {
  const long = [...new Set(values)].filter((value) => value.length >= MIN_CHARS);
  return long.sort((one, other) => other.length - one.length);
}

function anyOf(values: readonly string[], flags: string): RegExp {
  return new RegExp(values.map((value) => RegExp.escape(value)).join("|"), flags);
}

/** Shorter values are too much like ordinary words. */
export const MIN_CHARS = 8;

const NAMES_A_SECRET = /KEY|TOKEN|SECRET|PASSW/i;
/** Names of locations and properties. */
const NAMES_ANOTHER_THING =
  /(?:_|^)(?:PATH|FILE|DIR|FOLDER|HOME|SOCK|SOCKET|HOST|PORT|NAME|TYPE|MODE|COUNT|LIMIT|TIMEOUT|COMMAND|HELPER)$/i;
/** A path or a number: common in every session, and not a secret. */
const SAYS_ANOTHER_THING =
  /^(?:~|\.\.?)\/|^\/(?:home|root|Users|usr|etc|var|tmp|opt|run|mnt|private|data|srv)(?:\/|$)|^[\d.,:]+$/;

/**
 * Returns the credentials in an environment, by variable name. A key or a token that is a plain word (`production`) is
 * not one, or the word would be redacted everywhere; a password may be a word.
 */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env)
    .filter(([name]) => NAMES_A_SECRET.test(name) && !NAMES_ANOTHER_THING.test(name))
    .map(([name, value = ""]) => ({ value: value.trim(), mayBeWord: /PASSW/i.test(name) }))
    .filter(({ value, mayBeWord }) => mayBeWord || !isWord(value))
    .filter(({ value }) => value.length >= MIN_CHARS && !SAYS_ANOTHER_THING.test(value));
  return [...new Set(values.map(({ value }) => value))];
}

function isWord(value: string): boolean {
  return value.length < 20 && /^(?:[a-z]*|[A-Z]*|[A-Z][a-z]*)(?:[-_. ][A-Za-z]+)*$/.test(value);
}
