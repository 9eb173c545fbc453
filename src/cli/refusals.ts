import { shellWord, shorten } from "../lib/text.ts";
import { findSubject } from "../policy/asking/subject.ts";
import type { PermissionDenial } from "../policy/grounds.ts";
import { counted } from "../terminal/figures.ts";
import { safeLine, safeText } from "../terminal/safe-text.ts";
import { originOf } from "./permissions/format.ts";
import { sessionFlags } from "./session-flags.ts";

/** Refused calls that are named one by one, and characters of each. */
const MOST_LINES = 10;
const MOST_CHARACTERS = 120;

/** Returns one line per refused call, without repetitions: the flag that would allow it, or the rule that forbids it. */
export function refusalLines(denials: readonly PermissionDenial[]): readonly string[] {
  // An agent that was stopped was refused nothing.
  const lines = [...new Set(denials.filter(({ by }) => by !== "stop").map(refusalLine))];
  const left = lines.length - MOST_LINES;
  const more = left > 0 ? [`${counted(left, "other call")} refused; --output-format json lists them.`] : [];
  return [...lines.slice(0, MOST_LINES), ...more];
}

function refusalLine(denial: PermissionDenial): string {
  const { tool_name: tool, tool_input: input, by, rule, grants } = denial;
  const subject = findSubject(tool, input);
  const call = `Refused: ${safeLine(subject === null ? tool : `${tool}(${shorten(subject, MOST_CHARACTERS)})`)}.`;
  const why = safeLine(denial.reason).replace(/\.$/, "");
  if (by === "hook") return `${call} A hook refused it: ${why}.`;
  if (by === "person") return `${call} ${why}.`;
  if (grants.length > 0) return `${call} To allow it: ${flagFor(grants) ?? SETTINGS}`;
  if (rule?.behaviour === "deny")
    return `${call} The rule ${safeLine(rule.text)} (${originOf(rule)}) forbids it.`;
  return `${call} No rule can allow it: ${why}.`;
}

/** For rules that a line of a terminal cannot show exactly. */
const SETTINGS = "a rule in permissions.allow of your settings (it is too unusual for a flag).";

/** Returns the flag that allows exactly this, as a shell reads it; null if it cannot be written. */
function flagFor(grants: readonly string[]): string | null {
  const { allowedTools } = sessionFlags;
  const value = grants.join(",");
  const isExact = allowedTools.read([value]).join(",") === value && safeText(value) === value;
  return isExact && !value.includes("\n") ? `--${allowedTools.name} ${shellWord(value)}` : null;
}
