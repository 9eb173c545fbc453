import type { Verdict } from "./judge.ts";

/** What one tool made of all cases. */
export interface ToolVerdicts {
  readonly tool: string;
  readonly merges: readonly Verdict[];
  readonly states: readonly Verdict[];
}

/** One table in Markdown: a row for all merges, one for each state, and the sums. */
export function formatTable(tools: readonly ToolVerdicts[]): string {
  const row = (name: string, cell: (tool: ToolVerdicts) => string) =>
    `| ${[name, ...tools.map(cell)].join(" | ")} |`;
  const [first] = tools;
  const sum = (name: string, of: (verdict: Verdict) => number) =>
    row(name, ({ merges, states }) => {
      const total = [...merges, ...states].reduce((sofar, verdict) => sofar + of(verdict), 0);
      return total === 0 ? "0" : `**${total.toLocaleString("en")}**`;
    });
  const count = first?.merges.length ?? 0;
  return [
    row("", ({ tool }) => tool),
    `|---|${tools.map(() => "---|").join("")}`,
    ...(count === 0
      ? []
      : [row(`${count} merges of this project's history`, ({ merges }) => countOutcomes(merges))]),
    ...(first?.states ?? []).map(({ name }, at) => row(name, ({ states }) => describe(states[at]))),
    row("came home", ({ merges, states }) => countHome([...merges, ...states])),
    sum("bytes of the user that changed", ({ userBytes }) => userBytes),
    sum("files of the agent that were lost", ({ lost }) => lost),
    sum("files that were merged wrongly", ({ wrong }) => wrong),
  ].join("\n");
}

function countHome(verdicts: readonly Verdict[]): string {
  return `${verdicts.filter(({ outcome }) => outcome === "home").length} of ${verdicts.length}`;
}

function countOutcomes(verdicts: readonly Verdict[]): string {
  const counts = Map.groupBy(verdicts, ({ outcome }) => outcome);
  return [...counts]
    .map(([outcome, { length }]) => `${length} ${outcome}`)
    .join(", ")
    .concat(damage(verdicts));
}

function describe(verdict: Verdict | undefined): string {
  return verdict === undefined ? "" : `${verdict.outcome}${damage([verdict])}`;
}

function damage(verdicts: readonly Verdict[]): string {
  const total = (of: (verdict: Verdict) => number) => verdicts.reduce((sofar, one) => sofar + of(one), 0);
  const found = [
    [total(({ userBytes }) => userBytes), "bytes of the user"],
    [total(({ lost }) => lost), "lost"],
    [total(({ wrong }) => wrong), "wrong"],
  ] as const;
  const said = found
    .filter(([value]) => value > 0)
    .map(([value, what]) => `${value.toLocaleString("en")} ${what}`);
  return said.length === 0 ? "" : `: **${said.join(", ")}**`;
}
