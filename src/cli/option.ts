import { nearName } from "../mailbox/near-name.ts";
import { UsageError } from "./usage-error.ts";

/** One flag of a command: its help line and the check of its values in one place. */
export interface Option<T> {
  /** Without the dashes. */
  readonly name: string;
  /** Other long names people know it by. */
  readonly aliases: readonly string[];
  readonly short?: string;
  /** How help names the value; a flag without one takes none. */
  readonly value?: string;
  /** It may be given without its value, which is then read as an empty one. */
  readonly valueIsOptional?: true;
  readonly summary: string;
  /** What help says happens without it. */
  readonly fallback?: string;
  /** The typed value of what was given, in order; throws a `UsageError` on a value it cannot mean. */
  read(given: readonly string[]): T;
}

interface Words {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly short?: string;
  readonly value?: string;
  readonly summary: string;
  readonly fallback?: string;
}

/** True where it was given. */
export function flag(words: Words): Option<boolean> {
  return { aliases: [], ...words, read: (given) => given.length > 0 };
}

/** The last one given counts, as in every other command line. */
export function text(words: Words & { value: string }): Option<string | undefined> {
  return { aliases: [], ...words, read: (given) => given.at(-1) };
}

/** The last one given counts; empty where it was given without a value. */
export function optionalText(words: Words & { value: string }): Option<string | undefined> {
  return { aliases: [], ...words, valueIsOptional: true, read: (given) => given.at(-1) };
}

/** Every one given counts. */
export function repeated(words: Words & { value: string }): Option<readonly string[]> {
  return { aliases: [], ...words, read: (given) => given };
}

/** One of a few words; `also` maps other spellings to one of them. */
export function choice<C extends string>(
  words: Words & { choices: readonly C[]; also?: Readonly<Record<string, C>> },
): Option<C | undefined> {
  const { choices, also = {}, ...rest } = words;
  return {
    aliases: [],
    value: choices.join("|"),
    ...rest,
    read(given) {
      const word = given.at(-1);
      if (word === undefined) return undefined;
      const meant =
        choices.find((known) => known === word) ?? (Object.hasOwn(also, word) ? also[word] : undefined);
      if (meant !== undefined) return meant;
      const guess = nearName(word, choices);
      throw new UsageError(
        `--${words.name} cannot be ${quoted(word)}; it is one of ${choices.join(", ")}${guess ? ` (did you mean ${guess}?)` : ""}.`,
      );
    },
  };
}

type Bounds = Words & { readonly value: string; readonly min: number; readonly max: number };

/** A whole number within limits. */
export function whole(bounds: Bounds): Option<number | undefined> {
  const read = (word: string) => (/^\d{1,15}$/.test(word) ? Number(word) : Number.NaN);
  return number(bounds, read, `a whole number from ${bounds.min} to ${bounds.max}`);
}

/** A number within limits, as amounts of money are. */
export function decimal(bounds: Bounds): Option<number | undefined> {
  const read = (word: string) =>
    /^\$?(\d{1,12}(\.\d{1,9})?|\.\d{1,9})$/.test(word) ? Number(word.replace("$", "")) : Number.NaN;
  return number(bounds, read, `a number from ${bounds.min} to ${bounds.max}, such as 2.50`);
}

/** What `read` finds to be no number is refused like one out of bounds. */
function number(
  { min, max, ...rest }: Bounds,
  read: (word: string) => number,
  wanted: string,
): Option<number | undefined> {
  return {
    aliases: [],
    ...rest,
    read(given) {
      const word = given.at(-1);
      if (word === undefined) return undefined;
      const found = read(word);
      if (found >= min && found <= max) return found;
      throw new UsageError(`--${rest.name} cannot be ${quoted(word)}; it is ${wanted}.`);
    },
  };
}

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const LONGEST_MS = 7 * 24 * UNIT_MS.h;

/** A span of time in milliseconds, written as seconds or with a unit: `90`, `90s`, `10m`, `1.5h`. */
export function duration(words: Words & { value: string }): Option<number | undefined> {
  return {
    aliases: [],
    ...words,
    read(given) {
      const word = given.at(-1);
      if (word === undefined) return undefined;
      const ms = millisecondsOf(word);
      if (ms !== null && ms <= LONGEST_MS) return ms;
      throw new UsageError(
        `--${words.name} cannot be ${quoted(word)}; it is a span of at most seven days, such as 90 (seconds), 90s, 10m or 2h.`,
      );
    },
  };
}

function millisecondsOf(word: string): number | null {
  const [, digits, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(word.trim()) ?? [];
  if (digits === undefined) return null;
  switch (unit) {
    case "ms":
    case "s":
    case "m":
    case "h":
      return Number(digits) * UNIT_MS[unit];
    default:
      return null;
  }
}

/**
 * Names of tools, separated by commas or spaces, and the flag may be repeated. Separators inside
 * parentheses belong to a rule such as `Bash(git log:*)`.
 */
export function toolNames(words: Words & { value: string }): Option<readonly string[]> {
  return {
    aliases: [],
    ...words,
    read(given) {
      const names = given.flatMap((word) => word.match(/(?:\([^)]*\)?|[^\s,(])+/g) ?? []);
      if (given.length > 0 && names.length === 0) {
        throw new UsageError(`--${words.name} names no tool; give at least one, such as Read,Grep.`);
      }
      return names;
    },
  };
}

/** A person's word inside a sentence: short, on one line, and visible even where it is empty. */
export function quoted(word: string): string {
  const line = word.replace(/\s+/g, " ");
  return `"${line.length > 60 ? `${line.slice(0, 59)}…` : line}"`;
}
