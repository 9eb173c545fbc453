import type { Tier } from "../../policy/judgement.ts";
import type { Behaviour, Rule } from "../../settings/rules.ts";
import type { Paint } from "../colour.ts";
import { visibleLine } from "../visible-text.ts";
import type { ActiveRules } from "./active-rules.ts";
import type { AskedCall } from "./call.ts";
import type { Explanation } from "./explain.ts";

const MEANING: Readonly<Record<Behaviour, string>> = {
  allow: "It would run without a question.",
  ask: "A person would be asked; where there is none, as with -p and fanout, it is refused.",
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

/** The explanation for a person: what would happen, why, and what would let it through. */
export function explanationText(
  words: string,
  { decision, tier, reason, rule, parts, grants, besides }: Explanation,
  standing: ActiveRules,
  paint: Paint,
): string {
  const rows: readonly (readonly [name: string, lines: readonly string[]])[] = [
    ["", [MEANING[decision]]],
    ["why", [visibleLine(reason)]],
    [
      "rule",
      [rule === undefined ? "none" : `${rule.behaviour} ${visibleLine(rule.text)}  (${originOf(rule)})`],
    ],
    ["rests on", decision === "allow" && tier !== undefined ? [RESTS_ON[tier]] : []],
    ["mode", [modeWords(standing)]],
    [
      "parts",
      parts.length > 1 ? parts.map((part) => `${part.decision.padEnd(5)}  ${visibleLine(part.text)}`) : [],
    ],
    [
      "allow it",
      grants.length > 0
        ? [...grants.map(visibleLine), "in permissions.allow of your settings, or with --allowed-tools"]
        : decision === "ask"
          ? ["no rule is offered: each time is a question"]
          : [],
    ],
    ["besides", besides.map(visibleLine)],
  ];
  const head = `${paint(COLOUR[decision], decision)}  ${paint("bold", visibleLine(words))}`;
  return `${[head, ...rows.flatMap(([name, lines]) => block(name, lines, paint))].join("\n")}\n`;
}

const WIDTH = 11;

function block(name: string, lines: readonly string[], paint: Paint): string[] {
  return lines.map((line, at) =>
    name === "" ? `  ${line}` : `  ${at === 0 ? paint("dim", name.padEnd(WIDTH)) : " ".repeat(WIDTH)}${line}`,
  );
}

/** The call as it was asked about, on one line. */
export function callWords({ tool, input }: AskedCall): string {
  const values = Object.values(input);
  const [only] = values;
  if (values.length === 0) return tool;
  return `${tool}(${values.length === 1 && typeof only === "string" ? only : JSON.stringify(input)})`;
}

/** Rules in force by what they do, those that restrict first. */
export function standingText(standing: ActiveRules, paint: Paint): string {
  const { rules, workspace, problems } = standing;
  const rows = (["deny", "ask", "allow"] as const).flatMap((behaviour) =>
    rules.filter((rule) => rule.behaviour === behaviour),
  );
  const width = Math.min(40, Math.max(0, ...rows.map(({ text }) => visibleLine(text).length)));
  return `${[
    ...block("mode", [modeWords(standing)], paint),
    ...block("workspace", workspace.map(visibleLine), paint),
    "",
    ...(rows.length === 0 ? ["No rule is in force; what the mode does not allow is asked."] : []),
    ...rows.map(
      (rule) =>
        `${paint(COLOUR[rule.behaviour], rule.behaviour.padEnd(5))}  ${visibleLine(rule.text).padEnd(width)}  ${paint("dim", originOf(rule))}`,
    ),
    ...(problems.length === 0
      ? []
      : ["", ...problems.map((problem) => paint("yellow", visibleLine(problem)))]),
  ].join("\n")}\n`;
}

function modeWords({ mode, modeFrom }: ActiveRules): string {
  switch (modeFrom) {
    case "flag":
      return `${mode}, as given`;
    case "settings":
      return `${mode}, from settings`;
    case "default":
      return mode;
    default:
      return modeFrom satisfies never;
  }
}

/** Where a rule comes from, as a person finds it. */
export function originOf({ scope, file }: Rule): string {
  return file === undefined ? (scope === "cli" ? "command line" : scope) : `${scope}, ${visibleLine(file)}`;
}
