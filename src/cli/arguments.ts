import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { nearName } from "../mailbox/near-name.ts";
import { type Option, quoted } from "./option.ts";
import { UsageError } from "./usage-error.ts";

/** What was given on a command line, checked. */
export interface Arguments {
  value<T>(option: Option<T>): T;
  /** As it was given, each time it was. */
  given(option: Option<unknown>): readonly string[];
  readonly positionals: readonly string[];
}

/**
 * Reads a command line against a table of options. Throws a `UsageError` for a flag that is not in the
 * table, one without its value, one with a value it does not take, and every value its option refuses.
 */
export function parseArguments(argv: readonly string[], options: readonly Option<unknown>[]): Arguments {
  const byName = new Map(options.flatMap((option) => namesOf(option).map((name) => [name, option] as const)));
  const given = new Map<Option<unknown>, string[]>();
  // Not strict: node's own errors name the thing, but not what to do about it.
  const { tokens, positionals } = parseArgs({
    args: withEmptyValues(argv, options),
    options: configOf(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = byName.get(token.name);
    if (!option) throw unknownFlag(token.rawName, [...byName.keys()]);
    const values = given.get(option) ?? [];
    values.push(checkedValue(option, token.rawName, token.value, token.inlineValue === true));
    given.set(option, values);
  }
  for (const option of options) option.read(given.get(option) ?? []);
  return {
    value: (option) => option.read(given.get(option) ?? []),
    given: (option) => given.get(option) ?? [],
    positionals,
  };
}

/**
 * A flag that may stand without its value gets an empty one where none follows: node would take the next flag
 * for it.
 */
function withEmptyValues(argv: readonly string[], options: readonly Option<unknown>[]): string[] {
  const optional = options.filter(({ valueIsOptional }) => valueIsOptional);
  const spelt = new Map<string, string>();
  for (const { name, short } of optional) {
    spelt.set(`--${name}`, `--${name}=`);
    if (short) spelt.set(`-${short}`, `--${name}=`);
  }
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const next = argv[index + 1];
    const alone = next === undefined || next.startsWith("-");
    const counts = end === -1 || index < end;
    return (alone && counts ? spelt.get(word) : undefined) ?? word;
  });
}

function checkedValue(
  option: Option<unknown>,
  flag: string,
  value: string | undefined,
  inline: boolean,
): string {
  if (option.value === undefined) {
    if (value === undefined) return "";
    throw new UsageError(`${flag} takes no value; write just ${flag}.`);
  }
  if (option.valueIsOptional && (value === undefined || value === "")) return "";
  if (value === undefined || value === "") {
    throw new UsageError(`${flag} needs a value: ${flag} ${option.value}.`);
  }
  // "--model --json" is a forgotten value far more often than a model called "--json".
  if (!inline && /^-[^\d]/.test(value)) {
    throw new UsageError(
      `${flag} needs a value but is followed by ${quoted(value)}; if that is the value, write ${flag}=${value}.`,
    );
  }
  return value;
}

function unknownFlag(flag: string, names: readonly string[]): UsageError {
  const guess = nearName(flag.replace(/^-+/, ""), names);
  const advice = guess
    ? `did you mean --${guess}?`
    : "--help lists the flags, and text that starts with a dash goes after --.";
  return new UsageError(`There is no flag ${quoted(flag)}; ${advice}`);
}

function namesOf(option: Option<unknown>): string[] {
  return [option.name, ...option.aliases];
}

function configOf(options: readonly Option<unknown>[]): ParseArgsOptionsConfig {
  const config: ParseArgsOptionsConfig = {};
  for (const option of options) {
    const type = option.value === undefined ? "boolean" : "string";
    for (const name of namesOf(option)) config[name] = { type, multiple: true };
    if (option.short) config[option.name] = { type, multiple: true, short: option.short };
  }
  return config;
}
