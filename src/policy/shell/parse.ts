import { parse } from "unbash";
import type { ShellScript } from "./script.ts";
import { Walker } from "./walk.ts";

/** Longer commands are not analysed for an allow: nobody reads them before they run either. */
const MAX_LENGTH = 10_000;

/** Control characters but newline and tab; a carriage return is no blank to bash, but looks like a line's end. */
const CONTROL = /[\p{Cc}--[\n\t]]/v;

/** Format characters, blanks other than space and newline, and letters that are drawn as nothing. */
const INVISIBLE =
  /[[\p{Cf}\p{Z}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180B}-\u{180F}\u{2800}\u{3164}\u{FFA0}]--[ ]]/v;

/**
 * A command as bash would take it apart (§5.1, §5.2). Never throws for a command: what cannot be parsed comes
 * back with a problem and with the parts that were understood.
 */
export function parseShell(source: string): ShellScript {
  const walker = new Walker(source);
  let problem = unreadable(source);
  try {
    walker.script(parse(source));
  } catch {
    problem ??= "it could not be parsed";
  }
  problem ??= walker.problem;
  // With one more line, another command.
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(source)) problem ??= "it ends in the middle of a line";
  const { steps, parts, forbidden, values } = walker;
  return { problem, steps, parts, forbidden, values };
}

/** Why a command cannot be read as a person would read it; null where nothing in its characters hides (§5.1). */
function unreadable(command: string): string | null {
  if (command.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (CONTROL.test(command)) return "it contains a control character";
  if (INVISIBLE.test(command)) return "it contains an invisible character";
  return null;
}
