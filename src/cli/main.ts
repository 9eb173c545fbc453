import { stripVTControlCharacters } from "node:util";
import { nearName } from "../mailbox/near-name.ts";
import { parseArguments } from "./arguments.ts";
import type { Command, Context } from "./command.ts";
import { conversationCommand } from "./commands/conversation.ts";
import { commands, namedCommands } from "./commands/index.ts";
import { printFlag, promptCommand } from "./commands/prompt.ts";
import { exitCodes } from "./exit-codes.ts";
import { commandHelp, mainHelp, shortHelp } from "./help.ts";
import type { CliIO } from "./io.ts";
import { lazyRuntime } from "./lazy-runtime.ts";
import { messageOf } from "./message-of.ts";
import { quoted } from "./option.ts";
import { wantedSession } from "./resume-flags.ts";
import type { Runtime } from "./runtime.ts";
import { safeText } from "./safe-text.ts";
import { commonFlags } from "./session-flags.ts";
import { StartStoodStill } from "./start-limit.ts";
import { UsageError } from "./usage-error.ts";
import { troupeVersion } from "./version.ts";

/**
 * The command line: what `argv` (without node and the script) asks for, done; the answer is the exit code.
 * Never rejects. Results go to stdout, all else to stderr; an error is one sentence, with its stack only
 * under `--debug`.
 */
export async function main(
  argv: readonly string[],
  io: CliIO,
  runtime: Runtime = lazyRuntime,
): Promise<number> {
  try {
    return await perform(argv, { io, runtime, startedAt: io.clock.now() });
  } catch (error) {
    return report(error, argv, io);
  }
}

async function perform(argv: readonly string[], context: Context): Promise<number> {
  const { io } = context;
  const [command, rest] = argv.length === 0 ? [undefined, argv] : commandIn(argv);
  const flags = untilTerminator(rest);
  // Before anything is checked: who asks for help may have the rest wrong.
  if (flags.includes("--help") || flags.includes("-h")) return answer(io, helpFor(command));
  if (command === undefined && (flags.includes("--version") || flags.includes("-v"))) {
    return answer(io, `${troupeVersion()}\n`);
  }
  const { options, run } = command ?? promptCommand;
  const args = parseArguments(rest, [...options, ...Object.values(commonFlags)]);
  if (command === undefined && !args.value(printFlag)) {
    const [word] = args.positionals;
    if (word !== undefined && wantedSession(args) === null) throw unknownCommand(word, args.positionals);
    if (!io.stdinIsTTY || !io.stdout.isTTY) return say(io, shortHelp());
    return conversationCommand.run(parseArguments(rest, conversationFlags), context);
  }
  return run(args, context);
}

const conversationFlags = [...conversationCommand.options, ...Object.values(commonFlags)];

/** `help fanout` is `fanout --help`. */
function commandIn(argv: readonly string[]): readonly [Command | undefined, readonly string[]] {
  const [first = "", ...others] = argv;
  const named = namedAtFront(argv);
  if (named) return [named, argv.slice(wordsOf(named).length)];
  if (first !== "help") return [undefined, argv];
  const [topic] = others;
  const about = namedAtFront(others);
  if (topic === undefined || about) return [about, ["--help"]];
  throw unknownCommand(topic);
}

/** `mcp serve` is not `mcp`: of two that fit, the one with more words is meant. */
function namedAtFront(argv: readonly string[]): Command | undefined {
  return namedCommands
    .filter((command) => wordsOf(command).every((word, place) => argv[place] === word))
    .reduce<Command | undefined>(
      (best, one) => (best !== undefined && wordsOf(best).length >= wordsOf(one).length ? best : one),
      undefined,
    );
}

function wordsOf({ name }: Command): readonly string[] {
  return name.split(" ");
}

function unknownCommand(word: string, words: readonly string[] = []): UsageError {
  const misplaced = namedAtFront(words);
  if (misplaced)
    return new UsageError(`A command comes before its flags: troupe ${misplaced.name} and then the rest.`);
  const guess = nearName(word, ["help", ...namedCommands.map(({ name }) => name)]);
  const advice = guess
    ? `did you mean troupe ${guess}?`
    : `to ask something, write troupe -p "…"; troupe --help lists the commands.`;
  return new UsageError(`There is no command ${quoted(word)}; ${advice}`);
}

function helpFor(command: Command | undefined): string {
  return command === undefined ? mainHelp(commands, promptCommand) : commandHelp(command);
}

async function answer(io: CliIO, text: string): Promise<number> {
  await io.stdout.write(text);
  return exitCodes.done;
}

async function say(io: CliIO, text: string): Promise<number> {
  await io.stderr.write(text);
  return exitCodes.usage;
}

async function report(error: unknown, argv: readonly string[], io: CliIO): Promise<number> {
  const wrongUsage = error instanceof UsageError;
  const debug = untilTerminator(argv).includes("--debug");
  const stack = debug && error instanceof Error && error.stack ? `${error.stack}\n` : "";
  const text = `troupe: ${messageOf(error)}\n${stack}`;
  // Where even this cannot be written there is nobody left to tell; the exit code still does.
  await io.stderr.write(safeText(stripVTControlCharacters(text))).catch(() => {});
  // What it waits for would keep the process alive.
  if (error instanceof StartStoodStill) io.leave(exitCodes.notDone);
  return wrongUsage ? exitCodes.usage : exitCodes.notDone;
}

function untilTerminator(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
}
