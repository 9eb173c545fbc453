import { isPlainCommand } from "../../../src/policy/engine/command-words.ts";
import { withoutBraces } from "../../../src/policy/shell/braces.ts";
import { parseShell } from "../../../src/policy/shell/parse.ts";
import type { ShellPart } from "../../../src/policy/shell/script.ts";
import { inside } from "../../../src/policy/shell/wrappers.ts";
import type { Observed } from "./real-bash.ts";

export interface Difference {
  readonly command: string;
  /** A name that bash looked for and no part shows. */
  readonly missed: string;
}

/**
 * What bash tried and the parser did not report, where the parser claims to understand: no problem, and no
 * command word that is not plain, since such a command is never allowed by a rule.
 */
export function difference(command: string, { valid, tried }: Observed): Difference | null {
  if (!valid || tried.length === 0) return null;
  const script = parseShell(command);
  if (script.problem !== null || script.forbidden !== null) return null;
  const reported = new Set<string>();
  if (!script.parts.every((part) => report(part, reported))) return null;
  const missed = tried.find((name) => !reported.has(name));
  return missed === undefined ? null : { command, missed };
}

/** False where the part is one that no rule allows, whatever it runs. */
function report(part: ShellPart, names: Set<string>): boolean {
  if (part.kind === "construct") return false;
  if (part.words.some(({ pieces }) => pieces.some(({ type }) => type === "forbidden"))) return false;
  const [command] = part.words;
  if (part.kind === "test" || !command) return true;
  if (!isPlainCommand(command)) return false;
  if (["eval", "exec", "trap", "source", ".", "coproc"].includes(command.value)) return false;
  const lists = [part.words, withoutBraces(part.words) ?? part.words];
  for (const words of lists) {
    names.add(words[0]?.value ?? "");
    for (const inner of inside(words, []).commands) names.add(inner[0]?.value ?? "");
  }
  return true;
}
