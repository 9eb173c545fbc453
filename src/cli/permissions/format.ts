import type { Tier } from "../../policy/judgement.ts";
import type { Behaviour, Rule } from "../../settings/rules.ts";
import type { Paint } from "../../terminal/colour.ts";
import { visibleLine } from "../../terminal/visible-text.ts";
import { tableLines } from "../print.ts";
import type { ActiveRules } from "./active-rules.ts";
import type { AskedCall } from "./call.ts";
import type { Explanation } from "./explain.ts";

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

/** Formats the rules in force, those that restrict first. */
export function rulesText(active: ActiveRules, paint: Paint): string {
  const { rules, workspace, problems } = active;
  const rows = (["deny", "ask", "allow"] as const).flatMap((behaviour) =>
    rules
      .filter((rule) => rule.behaviour === behaviour)
      .map((rule) => [
        { text: behaviour.padEnd(5), paint: (text: string) => paint(COLOUR[behaviour], text) },
        visibleLine(rule.text),
        { text: originOf(rule), paint: (text: string) => paint("dim", text) },
      ]),
  );
  return `${[
    ...block("mode", [modeText(active)], paint),
    ...block("workspace", workspace, paint),
    "",
    ...(rows.length === 0 ? ["No rule is in force; what the mode does not allow is asked."] : []),
    ...tableLines(rows, { widest: 40 }),
    ...(problems.length === 0
      ? []
      : ["", ...problems.map((problem) => paint("yellow", visibleLine(problem)))]),
  ].join("\n")}\n`;
}

function modeText({ mode, modeFrom }: ActiveRules): string {
  return { flag: `${mode}, as given`, settings: `${mode}, from settings`, default: mode }[modeFrom];
}

/** Returns where a rule comes from, as a user finds it. */
export function originOf({ scope, file }: Rule): string {
  return file === undefined ? (scope === "cli" ? "command line" : scope) : `${scope}, ${visibleLine(file)}`;
}
