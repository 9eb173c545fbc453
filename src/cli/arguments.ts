import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { nearName } from "../lib/near-name.ts";
import { quoted, UsageError } from "./exit-codes.ts";
import type { Option } from "./option.ts";

/** What was given on a command line, checked. */
export interface Arguments {
  value<T>(option: Option<T>): T;
  /** As it was given, each time it was. */
  given(option: Option<unknown>): readonly string[];
  readonly positionals: readonly string[];
}

/** Parses a command line. Throws a `UsageError` for an unknown flag, a missing value, and a value its option refuses. */
export function parseArguments(argv: readonly string[], options: readonly Option<unknown>[]): Arguments {
  const byName = new Map(
    options.flatMap((option) =>
      [option.name, ...(option.aliases ?? [])].map((name) => [name, option] as const),
    ),
  );
  const config: ParseArgsOptionsConfig = {};
  for (const [name, { value, short, ...option }] of byName) {
    const type = value === undefined ? "boolean" : "string";
    config[name] = { type, multiple: true, ...(short && name === option.name ? { short } : {}) };
  }
  // Not strict: node's own errors do not say what to do.
  const { tokens, positionals } = parseArgs({
    args: addEmptyValues(argv, options),
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<Option<unknown>, string[]>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = byName.get(token.name);
    if (!option) throw unknownFlag(token.rawName, [...byName.keys()]);
    const value = checkValue(option, token.rawName, token.value, token.inlineValue === true);
    values.set(option, [...(values.get(option) ?? []), value]);
  }
  const given = (option: Option<unknown>): readonly string[] => values.get(option) ?? [];
  for (const option of options) option.read(given(option));
  return { given, positionals, value: (option) => option.read(given(option)) };
}

/** Returns the same with more values of flags, as if they had been given, too. */
export function withFlags(
  { given, positionals }: Arguments,
  more: ReadonlyMap<Option<unknown>, readonly string[]>,
): Arguments {
  const all = (option: Option<unknown>) => [...given(option), ...(more.get(option) ?? [])];
  return { given: all, positionals, value: (option) => option.read(all(option)) };
}

/**
 * Gives an empty value to each flag that may come without one and does: node would take the next flag for it. Throws a
 * `UsageError` for a word after a flag that could be its value, but would have to be joined to it.
 */
function addEmptyValues(argv: readonly string[], options: readonly Option<unknown>[]): string[] {
  const optional = options.filter(({ optionalValue }) => optionalValue !== undefined);
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    if (end !== -1 && index > end) return word;
    const next = argv[index + 1];
    const option = optional.find(
      ({ name, short }) => word === `--${name}` || (short && word === `-${short}`),
    );
    if (option === undefined) return word;
    const hasNext = next !== undefined && !next.startsWith("-");
    if (hasNext && option.optionalValue === "next") return word;
    if (hasNext && !/\s/.test(next))
      throw new UsageError(
        `${word} is followed by ${quoted(next)}; write ${word}=${next} if that is the ${option.value}. A task goes before ${word}, or after --.`,
      );
    return `--${option.name}=`;
  });
}

function checkValue(
  option: Option<unknown>,
  flag: string,
  value: string | undefined,
  isInline: boolean,
): string {
  if (option.value === undefined) {
    if (value === undefined) return "";
    throw new UsageError(`${flag} takes no value; write just ${flag}.`);
  }
  if (value === undefined || value === "") {
    if (option.optionalValue) return "";
    throw new UsageError(`${flag} needs a value: ${flag} ${option.value}.`);
  }
  // "--model --json" is a forgotten value far more often than a model called "--json".
  if (!isInline && /^-[^\d]/.test(value))
    throw new UsageError(
      `${flag} needs a value but is followed by ${quoted(value)}; if that is the value, write ${flag}=${value}.`,
    );
  return value;
}

/** Flags of Claude Code, and what does the same here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "dangerously-skip-permissions": "write --permission-mode bypassPermissions instead.",
};

function unknownFlag(flag: string, names: readonly string[]): UsageError {
  const given = flag.replace(/^-+/, "");
  const instead = Object.hasOwn(ELSEWHERE, given) ? ELSEWHERE[given] : undefined;
  if (instead !== undefined) return new UsageError(`There is no flag ${quoted(flag)}; ${instead}`);
  const close = nearName(given, names);
  const guesses = close === null ? names.filter((name) => name.split("-").includes(given)) : [close];
  const advice = guesses.length
    ? `did you mean ${guesses.map((name) => `--${name}`).join(" or ")}?`
    : "--help lists the flags, and text that starts with a dash goes after --.";
  return new UsageError(`There is no flag ${quoted(flag)}; ${advice}`);
}
