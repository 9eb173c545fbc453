import { nearName } from "../lib/near-name.ts";
import { isPoolName, POOL_NAME } from "../mailbox/ids.ts";
import { quoted, UsageError } from "./exit-codes.ts";

/** One flag of a command: its help line and the check of its values. */
export interface Option<T> {
  /** Without the dashes. */
  readonly name: string;
  /** Other long names that users know it by. */
  readonly aliases?: readonly string[];
  readonly short?: string;
  /** How help names the value; a flag without one takes none. */
  readonly value?: string;
  /** It may be given without its value, which is then read as an empty one. Where its value is: the next word, or joined by "=". */
  readonly optionalValue?: "next" | "joined";
  readonly summary: string;
  /** What help says happens without it. */
  readonly fallback?: string;
  /** Returns the typed value of what was given, in order. Throws a `UsageError` on a wrong value. */
  read(given: readonly string[]): T;
}

type Help = Pick<Option<unknown>, "name" | "aliases" | "short" | "summary" | "fallback">;
type HelpWithValue = Help & { readonly value: string };

/** True if it was given. */
export function flag(help: Help): Option<boolean> {
  return { ...help, read: (given) => given.length > 0 };
}

/** The last one given counts. */
export function text(help: HelpWithValue): Option<string | undefined> {
  return { ...help, read: (given) => given.at(-1) };
}

/** The last one given counts; empty if it was given without a value. */
export function optionalText(
  help: HelpWithValue & Required<Pick<Option<unknown>, "optionalValue">>,
): Option<string | undefined> {
  return { ...text(help), optionalValue: help.optionalValue };
}

/** Every one given counts. */
export function repeated(help: HelpWithValue): Option<readonly string[]> {
  return { ...help, read: (given) => given };
}

/** The same option, whose values are names of pools; one without a value may be left out. */
export function poolNames<T>(option: Option<T>): Option<T> {
  return {
    ...option,
    read(given) {
      const isMissing = (name: string) => name === "" && option.optionalValue !== undefined;
      const wrong = given.find((name) => !isPoolName(name) && !isMissing(name));
      if (wrong === undefined) return option.read(given);
      throw new UsageError(`--${option.name} cannot be ${quoted(wrong)}; it is ${POOL_NAME}.`);
    },
  };
}

/** The last one given, parsed; `parse` returns null for a value that is not `wanted`. */
function parsed<T>(
  help: HelpWithValue,
  parse: (word: string) => T | null,
  wanted: string,
): Option<T | undefined> {
  return {
    ...help,
    read(given) {
      const word = given.at(-1);
      if (word === undefined) return undefined;
      const value = parse(word);
      if (value !== null) return value;
      throw new UsageError(`--${help.name} cannot be ${quoted(word)}; it is ${wanted}.`);
    },
  };
}

/** One of a few words; `also` maps other spellings to one of them. `value`: what help has instead of all of them. */
export function choice<C extends string>({
  choices,
  also = {},
  value = choices.join("|"),
  ...help
}: Help & { choices: readonly C[]; also?: Readonly<Record<string, C>>; value?: string }): Option<
  C | undefined
> {
  const parse = (word: string): C | null => {
    const meant =
      choices.find((known) => known === word) ?? (Object.hasOwn(also, word) ? also[word] : undefined);
    const guess = meant === undefined ? nearName(word, choices) : null;
    if (guess !== null)
      throw new UsageError(
        `--${help.name} cannot be ${quoted(word)}; it is one of ${choices.join(", ")} (did you mean ${guess}?).`,
      );
    return meant ?? null;
  };
  return parsed({ ...help, value }, parse, `one of ${choices.join(", ")}`);
}

type Bounds = HelpWithValue & { readonly min: number; readonly max: number };

/** A whole number within limits. */
export function whole({ min, max, ...help }: Bounds): Option<number | undefined> {
  const parse = (word: string) => within(/^\d{1,15}$/.test(word) ? Number(word) : null, min, max);
  return parsed(help, parse, `a whole number from ${min} to ${max}`);
}

/** A number within limits, as amounts of money are. */
export function decimal({ min, max, ...help }: Bounds): Option<number | undefined> {
  const parse = (word: string) => {
    const isNumber = /^\$?(\d{1,12}(\.\d{1,9})?|\.\d{1,9})$/.test(word);
    return within(isNumber ? Number(word.replace("$", "")) : null, min, max);
  };
  return parsed(help, parse, `a number from ${min} to ${max}, such as 2.50`);
}

function within(value: number | null, min: number, max: number): number | null {
  return value !== null && value >= min && value <= max ? value : null;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const LONGEST_MS = 7 * 24 * 3_600_000;

/** A span of time in milliseconds, written as seconds or with a unit: `90`, `90s`, `10m`, `1.5h`. */
export function duration(help: HelpWithValue): Option<number | undefined> {
  const parse = (word: string) => {
    const [, digits, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(word.trim()) ?? [];
    return within(digits === undefined ? null : Number(digits) * (UNIT_MS[unit] ?? 0), 0, LONGEST_MS);
  };
  return parsed(help, parse, "a span of at most seven days, such as 90 (seconds), 90s, 10m or 2h");
}

/**
 * Names of tools, separated by commas or spaces. Separators in parentheses belong to a rule: `Bash(git log:*)`; a
 * parenthesis after a backslash is part of the rule's text.
 */
export function toolNames(help: HelpWithValue): Option<readonly string[]> {
  return {
    ...help,
    read(given) {
      const names = given.flatMap((word) => word.match(/(?:\((?:\\.|[^)\\])*\)?|[^\s,(])+/gs) ?? []);
      if (given.length > 0 && names.length === 0)
        throw new UsageError(`--${help.name} names no tool; give at least one, such as Read,Grep.`);
      return names;
    },
  };
}
