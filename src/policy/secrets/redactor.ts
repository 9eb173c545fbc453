import { MIN_CHARS } from "./credentials.ts";
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
