import { stripVTControlCharacters } from "node:util";
import { errorMessage } from "../lib/errors.ts";
import { nearName } from "../lib/near-name.ts";
import { troupeVersion } from "../lib/version.ts";
import { safeText } from "../terminal/safe-text.ts";
import { parseArguments } from "./arguments.ts";
import { type Command, type Context, checkPositionals } from "./command.ts";
import { printFlag, promptCommand } from "./commands/prompt.ts";
import { exitCodes, quoted, UsageError } from "./exit-codes.ts";
import type { CliIO } from "./process-io.ts";
import { lazyRuntime, type Runtime } from "./runtime.ts";
import { commonFlags, wantedSession } from "./session-flags.ts";
import { StartStoodStill } from "./setup-or-resume.ts";

/**
 * Does what the command line asks for (`argv` without node and the script) and resolves to the exit code. Never rejects.
 * Results go to stdout, everything else to stderr; an error is one sentence, with its stack only under `--debug`.
 */
export async function main(
  argv: readonly string[],
  io: CliIO,
  runtime: Runtime = lazyRuntime,
): Promise<number> {
  try {
    return await perform(argv, {
      ...{ io, runtime, startedAt: io.clock.now() },
      run: (others, as) => main(others, as, runtime),
    });
  } catch (error) {
    return report(error, argv, io);
  }
}

async function perform(argv: readonly string[], context: Context): Promise<number> {
  const { io } = context;
  const { command, rest } = await findCommand(argv);
  const flags = untilTerminator(rest);
  // Before anything is checked: the rest may be wrong if the user asks for help.
  if (flags.includes("--help") || flags.includes("-h")) {
    const { commandHelp, mainHelp } = await import("./help.ts");
    const { commands } = await import("./commands/index.ts");
    await io.stdout.write(command === undefined ? mainHelp(commands, promptCommand) : commandHelp(command));
    return exitCodes.done;
  }
  if (command === undefined && (flags.includes("--version") || flags.includes("-v"))) {
    await io.stdout.write(`${troupeVersion()}\n`);
    return exitCodes.done;
  }
  const args = parse(rest, command ?? promptCommand);
  if (command === undefined && !args.value(printFlag)) {
    const [word] = args.positionals;
    const isTerminal = io.stdinIsTTY && io.stdout.isTTY;
    // One word is a command, and may be misspelt; several are a prompt, if a user is there to talk to.
    const isPrompt = word !== undefined && isTerminal && /\S\s+\S/.test(word);
    if (word !== undefined && !isPrompt && wantedSession(args) === null)
      throw await unknownCommand(word, args.positionals);
    if (isTerminal) {
      const { conversationCommand } = await import("./commands/conversation.ts");
      return conversationCommand.run(parse(rest, conversationCommand), context);
    }
    const { SHORT_HELP } = await import("./help.ts");
    await io.stderr.write(SHORT_HELP);
    return exitCodes.usage;
  }
  if (command?.takes !== undefined) checkPositionals(command.name, command.takes, args.positionals);
  return (command ?? promptCommand).run(args, context);
}

function parse(argv: readonly string[], { options }: Command) {
  return parseArguments(argv, [...options, ...Object.values(commonFlags)]);
}

/** `help fanout` is `fanout --help`. */
async function findCommand(
  argv: readonly string[],
): Promise<{ readonly command: Command | undefined; readonly rest: readonly string[] }> {
  const [first, ...others] = argv;
  const command = await commandAtFront(argv);
  if (command) return { command, rest: argv.slice(command.name.split(" ").length) };
  if (first !== "help") return { command: undefined, rest: argv };
  const [topic] = others;
  const about = await commandAtFront(others);
  if (topic === undefined || about) return { command: about, rest: ["--help"] };
  throw await unknownCommand(topic);
}

/** `mcp serve` is not `mcp`: the longest name that fits is meant. A prompt loads no other command. */
async function commandAtFront(argv: readonly string[]): Promise<Command | undefined> {
  if (argv[0] === undefined || argv[0].startsWith("-")) return undefined;
  const { namedCommands } = await import("./commands/index.ts");
  return namedCommands
    .filter(({ name }) => name.split(" ").every((word, at) => argv[at] === word))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

async function unknownCommand(word: string, words: readonly string[] = []): Promise<UsageError> {
  const misplaced = await commandAtFront(words);
  if (misplaced)
    return new UsageError(`A command comes before its flags: troupe ${misplaced.name} and then the rest.`);
  const { namedCommands } = await import("./commands/index.ts");
  const guess = nearName(word, ["help", ...namedCommands.map(({ name }) => name)]);
  const advice = guess
    ? `did you mean troupe ${guess}?`
    : `to ask something, write troupe -p "…"; troupe --help lists the commands.`;
  return new UsageError(`There is no command ${quoted(word)}; ${advice}`);
}

async function report(error: unknown, argv: readonly string[], io: CliIO): Promise<number> {
  const isDebug = untilTerminator(argv).includes("--debug");
  const stack = isDebug && error instanceof Error && error.stack ? `${error.stack}\n` : "";
  const text = `troupe: ${errorMessage(error).trim() || "an error without a message"}\n${stack}`;
  // If even this cannot be written, the exit code still tells.
  await io.stderr.write(safeText(stripVTControlCharacters(text))).catch(() => {});
  // What it waits for would keep the process alive.
  if (error instanceof StartStoodStill) io.leave(exitCodes.notDone);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.notDone;
}

/** The words before `--`. */
export function untilTerminator(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
}
