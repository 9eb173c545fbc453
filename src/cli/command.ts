import { nearName } from "../lib/near-name.ts";
import type { Arguments } from "./arguments.ts";
import { quoted, UsageError } from "./exit-codes.ts";
import type { Option } from "./option.ts";
import type { CliIO } from "./process-io.ts";
import type { Runtime } from "./runtime.ts";

/** What a command works with. */
export interface Context {
  readonly io: CliIO;
  readonly runtime: Runtime;
  /** Monotonic milliseconds at which the process started its work. */
  readonly startedAt: number;
  /** Runs another command; never rejects, and resolves to the exit code. Absent if this one was not started by `main`. */
  readonly run?: (argv: readonly string[], io: CliIO) => Promise<number>;
}

/** One command: its help, its flags and what it does. */
export interface Command {
  readonly name: string;
  /** After `troupe`, as help shows it. */
  readonly usage: readonly string[];
  /** The arguments other than flags, such as `[SESSION]`; absent: the command checks them. */
  readonly takes?: string;
  readonly summary: string;
  /** More sentences for its own help. */
  readonly details?: readonly string[];
  readonly options: readonly Option<unknown>[];
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** Resolves to the exit code. */
  run(args: Arguments, context: Context): Promise<number>;
}

export interface Subcommand {
  /** Its arguments as help shows them, such as `KEY VALUE` or `ID [PROMPT]`; the last may be several: `[WORD…]`. */
  readonly takes?: string;
  /** Flags that only some subcommands have. */
  readonly options?: readonly Option<unknown>[];
  run(words: readonly string[], args: Arguments, context: Context): Promise<number>;
}

interface CommandWithSubcommands extends Omit<Command, "usage" | "run"> {
  readonly subcommands: Readonly<Record<string, Subcommand>>;
}

/** Makes a command of its subcommands: their usage lines, and errors for what does not fit them. */
export function withSubcommands({ subcommands, ...command }: CommandWithSubcommands): Command {
  const { name } = command;
  const all = Object.entries(subcommands);
  const own = [...new Set(all.flatMap(([, { options = [] }]) => options))];
  const usages = all.map(([word, subcommand]) => `${name} ${word}${usageOf(subcommand)}`);
  return {
    ...command,
    usage: usages,
    options: [...own, ...command.options],
    async run(args, context) {
      const [word, ...words] = args.positionals;
      const found = all.find(([known]) => known === word);
      if (found === undefined) throw unknownSubcommand(name, word, Object.keys(subcommands));
      const [known, subcommand] = found;
      for (const option of own)
        if (args.given(option).length > 0 && !subcommand.options?.includes(option)) {
          const others = all.filter(([, { options }]) => options?.includes(option)).map(([other]) => other);
          throw new UsageError(
            `${name} ${known} has no --${option.name}; it is for ${name} ${listed(others, "and")}.`,
          );
        }
      checkPositionals(`${name} ${known}`, subcommand.takes ?? "", words);
      return subcommand.run(words, args, context);
    },
  };
}

/** Throws a `UsageError` if these are not the arguments that `takes` names. */
export function checkPositionals(command: string, takes: string, words: readonly string[]): void {
  const names = takes.split(" ").filter(Boolean);
  const usage = `troupe ${[command, ...names].join(" ")}`;
  for (const [at, name] of names.entries()) {
    const word = words[at];
    const bare = name.replace(/[[\]]/g, "");
    if (word === undefined && !name.startsWith("["))
      throw new UsageError(`${command} needs ${bare}: ${usage}.`);
    // An empty value or prompt has a meaning of its own.
    if (word?.trim() === "" && bare !== "VALUE" && bare !== "PROMPT")
      throw new UsageError(`The ${bare} of ${command} is empty; write ${usage}.`);
  }
  const extra = words[names.length];
  if (extra === undefined || takes.includes("…")) return;
  const advice = takes === "" ? "leave it out" : `write ${usage}, with quotes around what has spaces`;
  throw new UsageError(`${command} does not take ${quoted(extra)}; ${advice}.`);
}

function unknownSubcommand(command: string, word: string | undefined, known: readonly string[]): UsageError {
  if (word === undefined) return new UsageError(`${command} needs a subcommand: ${listed(known, "or")}.`);
  const guess = nearName(word, known);
  return new UsageError(
    `${command} has no subcommand ${quoted(word)}; ${guess ? `did you mean ${command} ${guess}?` : `it has ${listed(known, "and")}.`}`,
  );
}

function usageOf({ takes = "", options = [] }: Subcommand): string {
  const flags = options.map(({ name, value }) => `[--${name}${value === undefined ? "" : ` ${value}`}]`);
  return [takes, ...(flags.length > 3 ? ["[flags]"] : flags)]
    .map((one) => (one === "" ? "" : ` ${one}`))
    .join("");
}

function listed(words: readonly string[], joint: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1)}`;
}
