import type { Behaviour, Rule } from "../../settings/permissions.ts";
import { literalWord, type ShellAssignment, type ShellPart, type ShellWord } from "../shell/script.ts";
import { startsOthers } from "../shell/wrappers.ts";

/** One `Bash(…)` rule, ready to be compared with the text of a part (§5.3). */
export interface CommandRule {
  readonly rule: Rule;
  /** It has no wildcard and matches only this text. */
  readonly exact: boolean;
  /** The text before the first wildcard. */
  readonly head: string;
  /** The command it names, if its first word is complete and has no wildcard. */
  readonly command: string | null;
  readonly matches: (text: string) => boolean;
}

/** Command rules, indexed by the command they name. */
export class CommandRules {
  readonly #named = new Map<string, CommandRule[]>();
  readonly #loose: CommandRule[] = [];
  /** Rules that may match a whole command line (§5.3). */
  readonly #whole = new Map<string, Rule>();
  /** Deny and ask rules that contain an operator, and so can only match a whole line. */
  readonly #lines: CommandRule[] = [];

  add(rule: Rule, spec: string, behaviour: Behaviour): void {
    const variants =
      behaviour === "allow" ? [spec] : [...new Set([spec, spaced(spec), spaced(unquoted(spec))])];
    for (const variant of variants) {
      const compiled = compile(rule, variant);
      if (compiled === null) continue;
      if (compiled.command === null) this.#loose.push(compiled);
      else this.#named.set(compiled.command, [...(this.#named.get(compiled.command) ?? []), compiled]);
      if (behaviour !== "allow" && /[|&;<>\n]/.test(variant)) this.#lines.push(compiled);
    }
    for (const whole of [spec, unescaped(spec)]) if (!this.#whole.has(whole)) this.#whole.set(whole, rule);
  }

  /** Returns the first rule that matches a part's text and is accepted. */
  find(text: string, accept: (rule: CommandRule) => boolean = () => true): CommandRule | null {
    const space = text.indexOf(" ");
    const named = this.#named.get(space < 0 ? text : text.slice(0, space));
    return (
      named?.find((one) => one.matches(text) && accept(one)) ??
      this.#loose.find((one) => one.matches(text) && accept(one)) ??
      null
    );
  }

  whole(command: string): Rule | null {
    return this.#whole.get(command.trim()) ?? null;
  }

  line(command: string): Rule | null {
    return this.#lines.find((one) => one.matches(spaced(command.trim())))?.rule ?? null;
  }
}

/** Returns null for an empty prefix, which would match everything. */
function compile(rule: Rule, spec: string): CommandRule | null {
  const open = /(?::\*| \*)$/.test(spec) && !/\\:?\*$/.test(spec);
  const body = open ? spec.slice(0, -2) : spec;
  if (body.trim() === "") return null;
  const pieces = body.split(/(\\[\\*()]|\*)/);
  const stars = pieces.filter((piece) => piece === "*").length;
  const firstStar = pieces.indexOf("*");
  const head = literal(firstStar < 0 ? pieces : pieces.slice(0, firstStar));
  const space = head.indexOf(" ");
  const command = space >= 0 ? head.slice(0, space) : firstStar < 0 ? head : null;
  const matches = stars === 0 ? plain(head, open) : patterned(pieces, open);
  return { rule, exact: stars === 0 && !open, head, command: command === "" ? null : command, matches };
}

function plain(head: string, open: boolean): (text: string) => boolean {
  const prefix = `${head} `;
  return open ? (text) => text === head || text.startsWith(prefix) : (text) => text === head;
}

/**
 * Finds the pieces in turn, each at its first position: a regular expression with ten stars takes minutes for one
 * command.
 */
function patterned(pieces: readonly string[], open: boolean): (text: string) => boolean {
  const texts: string[] = [""];
  for (const piece of pieces) {
    if (piece === "*") texts.push("");
    else texts.push(`${texts.pop() ?? ""}${literal([piece])}`);
  }
  const [first = "", ...others] = texts;
  const last = others.pop() ?? "";
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const one of others) {
      const found = text.indexOf(one, at);
      if (found < 0) return false;
      at = found + one.length;
    }
    return (
      (open && text.includes(`${last} `, at)) || (text.length - last.length >= at && text.endsWith(last))
    );
  };
}

function literal(pieces: readonly string[]): string {
  return pieces.map((piece) => (/^\\[\\*()]$/.test(piece) ? piece.slice(1) : piece)).join("");
}

function unescaped(spec: string): string {
  return spec.replace(/\\([\\*()])/g, "$1");
}

/** Returns a rule that matches only this text. */
export function exactly(text: string): string {
  return `Bash(${text.replace(/[\\*()]/g, "\\$&")})`;
}

function spaced(text: string): string {
  return text.replace(/[ \t]+/g, " ").trim();
}

function unquoted(text: string): string {
  return text.replace(/["']/g, "");
}

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
