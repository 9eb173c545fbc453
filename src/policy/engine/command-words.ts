import { isPlainCommandWord } from "../shell/characters.ts";
import type { LoopNames, ShellAssignment, ShellPart } from "../shell/script.ts";
import { literalWord, type Piece, type ShellWord, wordOf } from "../shell/words.ts";
import { startsOthers } from "../shell/wrappers.ts";
import type { CommandRule } from "./command-rules.ts";

/** Variables that change how a program writes, and not what it does (§5.4). */
const SAFE_VARIABLE =
  /^(?:NODE_ENV|CI|LANG|LANGUAGE|LC_[A-Z_]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|RUST_LOG|RUST_BACKTRACE|PYTHONUNBUFFERED|GOOS|GOARCH)$/;

/** Commands that change the shell itself; only a rule that names the very command allows them (§5.9). */
const SHELL_COMMANDS: ReadonlySet<string> = new Set(
  "alias source . exec trap enable hash shopt set complete mapfile readarray let unset read".split(" "),
);
/** These only by their exact text (§5.4). */
const DECLARATIONS: ReadonlySet<string> = new Set("export declare typeset local readonly".split(" "));

export function unsafeAssignments(part: ShellPart): readonly ShellAssignment[] {
  return part.assignments.filter(({ name, simple, value }) => {
    if (!simple || value === null || !SAFE_VARIABLE.test(name)) return true;
    return value.pieces.some(({ type }) => type === "forbidden");
  });
}

/** Why no rule with a wildcard can allow a part; null where one can. */
export function whyNoRule(words: readonly ShellWord[]): string | null {
  const [command] = words;
  if (!command) return null;
  if (!isPlainCommand(command)) return `${command.raw} is not a plain command name`;
  if (startsOthers(words)) return `${command.value} runs other commands here`;
  const forbidden = words.flatMap(({ pieces }) => pieces).find(({ type }) => type === "forbidden");
  return forbidden ? `${forbidden.text} may do more than it shows` : null;
}

export function isPlainCommand({ literal, raw, value }: ShellWord): boolean {
  return literal && !raw.includes("$") && isPlainCommandWord(value);
}

/** Whether this rule is narrow enough for this command. */
export function accepts(words: readonly ShellWord[]): (rule: CommandRule) => boolean {
  const name = words[0]?.value ?? "";
  return ({ command, exact }) => {
    if (DECLARATIONS.has(name)) return exact;
    // Behind a path, and under these names, stands another program than a wildcard was meant for.
    if (name.includes("/") || SHELL_COMMANDS.has(name)) return command === name;
    return true;
  };
}

/** The words with what is known of the person's own folders filled in, for looking which files are meant. */
export function located(words: readonly ShellWord[], home: string, cwd: string): readonly ShellWord[] {
  const known: Readonly<Record<string, string>> = { HOME: home, PWD: cwd };
  return words.map((word) => {
    if (word.literal || !word.pieces.some((piece) => piece.type === "variable")) return word;
    const pieces = word.pieces.map((piece) => {
      const text =
        piece.type === "variable" && Object.hasOwn(known, piece.name) ? known[piece.name] : undefined;
      return text === undefined ? piece : ({ type: "text", text, quoted: true } as const);
    });
    return wordOf(pieces, word.raw);
  });
}

export function named(words: readonly ShellWord[], name: string): readonly ShellWord[] {
  return [literalWord(name), ...words.slice(1)];
}

/** The words with each value that a loop sets, as far as one variable of a loop is in them. */
export function loopedWords(
  words: readonly ShellWord[],
  loopNames: LoopNames,
): readonly (readonly ShellWord[])[] {
  const pieces = words.flatMap((word) => word.pieces);
  const used = pieces.find((piece) => piece.type === "variable" && loopNames.has(piece.name));
  if (used?.type !== "variable") return [];
  const values = loopNames.get(used.name)?.words ?? [];
  const isUsed = (piece: Piece) => piece.type === "variable" && piece.name === used.name;
  return values.map((value) =>
    words.map((word) =>
      word.pieces.some(isUsed)
        ? wordOf(
            word.pieces.flatMap((piece) => (isUsed(piece) ? value.pieces : [piece])),
            word.raw,
          )
        : word,
    ),
  );
}
