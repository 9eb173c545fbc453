import type { ShellAssignment, ShellPart } from "../shell/script.ts";
import { literalWord, type ShellWord } from "../shell/words.ts";
import { startsOthers } from "../shell/wrappers.ts";
import type { CommandRule } from "./command-rules.ts";

/** Variables that change how a program formats its output, not what it does (§5.4). */
const SAFE_VARIABLE =
  /^(?:NODE_ENV|CI|LANG|LANGUAGE|LC_[A-Z_]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|RUST_LOG|RUST_BACKTRACE|PYTHONUNBUFFERED|GOOS|GOARCH)$/;

/** Commands that change the shell itself; only a rule that names the exact command allows them (§5.9). */
const SHELL_COMMANDS: ReadonlySet<string> = new Set(
  "alias source . exec trap enable hash shopt set complete mapfile readarray let unset read".split(" "),
);
/** Allowed only by their exact text (§5.4). */
const DECLARATIONS: ReadonlySet<string> = new Set("export declare typeset local readonly".split(" "));

export function isSafeVariable(name: string): boolean {
  return SAFE_VARIABLE.test(name);
}

export function unsafeAssignments(part: ShellPart): readonly ShellAssignment[] {
  return part.assignments.filter(({ name, simple, value }) => {
    if (!simple || value === null || !isSafeVariable(name)) return true;
    // A time zone, a locale or a terminal may be a file name.
    if (/^[:/~]|\.\./.test(value.value)) return true;
    return value.pieces.some(({ type }) => type === "forbidden");
  });
}

/** Returns why no rule with a wildcard can allow a part, or null if one can. */
export function whyNoRule(words: readonly ShellWord[]): string | null {
  const [command] = words;
  if (!command) return null;
  if (!isPlainCommand(command)) return `${command.raw} is not a plain command name`;
  if (startsOthers(words)) return `${command.value} runs other commands here`;
  const forbidden = words.flatMap(({ pieces }) => pieces).find(({ type }) => type === "forbidden");
  return forbidden ? `${forbidden.text} may do more than it shows` : null;
}

/** True for letters with which every reader agrees on where the word begins and ends. */
export function isPlainCommand({ literal, raw, value }: ShellWord): boolean {
  return literal && !raw.includes("$") && /^[\w./+:@%,=[-]+$/.test(value);
}

/** Returns a check that a rule is narrow enough for this command. */
export function accepts(words: readonly ShellWord[]): (rule: CommandRule) => boolean {
  const name = words[0]?.value ?? "";
  return ({ command, exact }) => {
    if (DECLARATIONS.has(name)) return exact;
    // With a path, or under these names, it may be another program than a wildcard was meant for.
    if (name.includes("/") || SHELL_COMMANDS.has(name)) return command === name;
    return true;
  };
}

export function named(words: readonly ShellWord[], name: string): readonly ShellWord[] {
  return [literalWord(name), ...words.slice(1)];
}
