import { shellWord, shorten } from "../../lib/text.ts";
import { findSubject } from "../../policy/engine/tool-table.ts";
import type { PermissionDenial, Tier } from "../../policy/judgement.ts";
import type { PermissionLevel, PermissionRequest } from "../../policy/user-requests.ts";
import type { Behaviour, Rule } from "../../settings/permissions.ts";
import type { Paint } from "../../terminal/colour.ts";
import { counted } from "../../terminal/figures.ts";
import { safeLine, safeText, visibleLine } from "../../terminal/safe-text.ts";
import { tableLines } from "../print.ts";
import { sessionFlags } from "../session-flags.ts";
import type { ActiveRules } from "./active-rules.ts";
import type { AskedCall, Explanation } from "./explain.ts";

const MEANING: Readonly<Record<Behaviour, string>> = {
  allow: "It would run without a question.",
  ask: "The user would be asked; without one, as with -p and fanout, it is refused.",
  deny: "It would be refused.",
};

const RESTS_ON: Readonly<Record<Tier, string>> = {
  rule: "rules alone",
  enforced: "the read-only confinement; without one it may need a question (troupe doctor)",
  plain: "what the command says; it runs in the confinement if there is one",
  mode: "the mode",
};

const COLOUR = { allow: "green", ask: "yellow", deny: "red" } as const satisfies Readonly<
  Record<Behaviour, Parameters<Paint>[0]>
>;

/** Formats an explanation: what would happen, why, and what would allow it. */
export function explanationText(
  call: AskedCall,
  { decision, tier, reason, rule, parts, grants, besides }: Explanation,
  active: ActiveRules,
  paint: Paint,
): string {
  const rows: readonly (readonly [name: string, lines: readonly string[]])[] = [
    ["why", [reason]],
    ["rule", [rule === undefined ? "none" : `${rule.behaviour} ${rule.text}  (${originOf(rule)})`]],
    ["rests on", decision === "allow" && tier !== undefined ? [RESTS_ON[tier]] : []],
    ["mode", [modeText(active)]],
    ["parts", parts.length > 1 ? parts.map((part) => `${part.decision.padEnd(5)}  ${part.text}`) : []],
    ["allow it", decision === "deny" ? [] : grantLines(grants, decision)],
    ["also", besides],
  ];
  const head = `${paint(COLOUR[decision], decision)}  ${paint("bold", visibleLine(callText(call)))}`;
  return `${[head, `  ${MEANING[decision]}`, ...rows.flatMap(([name, lines]) => block(name, lines, paint))].join("\n")}\n`;
}

function grantLines(grants: readonly string[], decision: Behaviour): readonly string[] {
  if (grants.length > 0) return [...grants, "in permissions.allow of your settings, or with --allowed-tools"];
  return decision === "ask" ? ["no rule is offered: each time is a question"] : [];
}

const WIDTH = 11;

function block(name: string, lines: readonly string[], paint: Paint): string[] {
  return lines.map(
    (line, at) => `  ${at === 0 ? paint("dim", name.padEnd(WIDTH)) : " ".repeat(WIDTH)}${visibleLine(line)}`,
  );
}

function callText({ tool, input }: AskedCall): string {
  const values = Object.values(input);
  const [only] = values;
  if (values.length === 0) return tool;
  return `${tool}(${values.length === 1 && typeof only === "string" ? only : JSON.stringify(input)})`;
}

/** Formats the rules in force and what else decides. */
export function rulesText(active: ActiveRules, paint: Paint): string {
  const { rules, workspace, problems } = active;
  return `${[
    ...block("mode", [modeText(active)], paint),
    ...block("workspace", workspace, paint),
    "",
    ...ruleLines(rules, paint),
    ...(problems.length === 0
      ? []
      : ["", ...problems.map((problem) => paint("yellow", visibleLine(problem)))]),
  ].join("\n")}\n`;
}

/** Formats rules, those that restrict first; without any, a sentence says so. */
export function ruleLines(rules: readonly Rule[], paint: Paint): string[] {
  if (rules.length === 0) return ["No rule is in force; what the mode does not allow is asked."];
  const rows = (["deny", "ask", "allow"] as const).flatMap((behaviour) =>
    rules
      .filter((rule) => rule.behaviour === behaviour)
      .map((rule) => [
        { text: behaviour.padEnd(5), paint: (text: string) => paint(COLOUR[behaviour], text) },
        visibleLine(rule.text),
        { text: originOf(rule), paint: (text: string) => paint("dim", text) },
      ]),
  );
  return tableLines(rows, { widest: 40 });
}

function modeText({ mode, modeFrom }: ActiveRules): string {
  return { flag: `${mode}, as given`, settings: `${mode}, from settings`, default: mode }[modeFrom];
}

/** Returns where a rule comes from, as a user finds it. */
function originOf({ scope, file }: Rule): string {
  return file === undefined ? (scope === "cli" ? "command line" : scope) : `${scope}, ${visibleLine(file)}`;
}

/** The danger levels of tools as a user reads them. */
export const DANGER: Readonly<Record<PermissionLevel, string>> = {
  read: "read: it changes nothing",
  write: "write: it changes files",
  execute: "execute: it runs programs",
  network: "network: it reaches other machines",
};

/** Returns what a user needs to decide, in addition to the call itself. The functions make texts of the model safe to show. */
export function aboutPermission(
  { title, details, description, reason, level, askers }: PermissionRequest,
  showValue: (text: string) => string,
  showDescription = showValue,
): string {
  const shown = details.filter(({ value }) => value !== title && value !== description);
  return [
    ...(description === undefined || description === title
      ? []
      : [`The model says: ${showDescription(description)}`]),
    `Why this is asked: ${visibleLine(reason)}`,
    `Danger: ${DANGER[level]}`,
    `From: ${askers.map(({ path }) => visibleLine(path.join(" > "))).join("; ")}`,
    ...shown.map(({ name, value }) => `${visibleLine(name)}: ${showValue(value)}`),
  ].join("\n");
}

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
