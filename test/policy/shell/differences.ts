import { isPlainCommand } from "../../../src/policy/engine/command-rules.ts";
import { withoutBraces } from "../../../src/policy/engine/values.ts";
import { parseShell } from "../../../src/policy/shell/parse.ts";
import type { ShellPart, ShellWord } from "../../../src/policy/shell/script.ts";
import { findStarted, unwrap } from "../../../src/policy/shell/wrappers.ts";

export interface Difference {
  readonly command: string;
  /** A name that bash looked for and no part shows. */
  readonly missed: string;
}

/** Whether the parser claims to understand a command; what it refuses no rule allows, whatever it runs. */
export function isUnderstood(command: string): boolean {
  return reportedNames(command) !== null;
}

/** A name that bash tried and the parser did not report; null where there is none. */
export function difference(command: string, tried: readonly string[]): Difference | null {
  const reported = reportedNames(command);
  const missed = reported === null ? undefined : tried.find((name) => !reported.has(name));
  return missed === undefined ? null : { command, missed };
}

function reportedNames(command: string): ReadonlySet<string> | null {
  const script = parseShell(command);
  const data = script.steps.flatMap((step) => (step.type === "data" ? step.words : []));
  if (script.problem !== null || data.some(hasForbidden)) return null;
  const names = new Set<string>();
  return script.parts.every((part) => report(part, names)) ? names : null;
}

const REREAD: ReadonlySet<string> = new Set(["eval", "exec", "trap", "source", "."]);

/** False where the part is one that no rule allows, whatever it runs. */
function report(part: ShellPart, names: Set<string>): boolean {
  if (part.kind === "construct") return false;
  if (part.words.some(hasForbidden)) return false;
  const [command] = part.words;
  if (part.kind === "test" || !command) return true;
  if (!isPlainCommand(command)) return false;
  const lists = [part.words, withoutBraces(part.words) ?? part.words];
  for (const words of lists) {
    names.add(words[0]?.value ?? "");
    const bare = unwrap(words);
    // Behind these stands text that bash reads again; no rule but one with their own name allows them.
    if (bare[0] && (!isPlainCommand(bare[0]) || REREAD.has(bare[0].value))) return false;
    for (const inner of findStarted(words, []).commands) names.add(inner[0]?.value ?? "");
    names.add(bare[0]?.value ?? "");
  }
  return true;
}

function hasForbidden({ pieces }: ShellWord): boolean {
  return pieces.some(({ type }) => type === "forbidden");
}
