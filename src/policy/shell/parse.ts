import { parse } from "unbash";
import { unreadable } from "./characters.ts";
import type { ShellScript } from "./script.ts";
import { Walker } from "./walk.ts";

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
