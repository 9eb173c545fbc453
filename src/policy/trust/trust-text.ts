import { printable, shorten } from "../../lib/text.ts";
import { type Grant, type GrantGroup, grantGroups, ruleGroup } from "./grants.ts";
import type { Trust } from "./trust.ts";

/** At most this number of grants is listed one by one; more are grouped, with the first of each group and the number of all. */
const FEW = 12;
const NAMED = 3;
const NAMED_IF_DANGEROUS = 6;
const DANGEROUS: ReadonlySet<GrantGroup> = new Set(["unchecked", "runs", "servers"]);
const MOST_CHARACTERS = 160;

/** The question whether a directory is trusted: what it shows first, and all of it. They differ only if it is long. */
export interface TrustQuestion {
  readonly text: string;
  readonly all: string;
}

/** Returns the question whether a directory is trusted, with all that this would grant; null if nothing needs trust. */
export function trustQuestion(
  folder: string,
  trust: Trust,
  servers: readonly Grant[] = [],
): TrustQuestion | null {
  const isOfServers = trust.type !== "untrusted";
  const fresh = [...(isOfServers ? [] : trust.fresh), ...servers];
  if (fresh.length === 0) return null;
  const [first, last] = isOfServers
    ? [
        `Agents can ask language servers about the code of ${printable(folder)}. These load code and settings of the directory, and may run it. If you trust it, agents can:`,
        "Until you do, no language server is started.",
      ]
    : [
        trust.wasTrusted
          ? `The settings of ${printable(folder)} have changed since you trusted them. New is that they would:`
          : `${printable(folder)} brings settings of its own (.claude, .mcp.json, .git). If you trust it, they will:`,
        "Until you do, they can only deny and ask.",
      ];
  const asked = (lines: readonly string[]) =>
    [first, ...lines, `${last} Do you trust this directory?`].join("\n");
  return { text: asked(grantLines(fresh)), all: asked(grantLines(fresh, Number.POSITIVE_INFINITY)) };
}

/** Lists grants for the user: a few as they are, more in groups. `named`: how many of each group (default: the first). */
export function grantLines(grants: readonly Grant[], named?: number): readonly string[] {
  const paid = grants.filter((grant) => groupOf(grant) !== "free");
  const shown = paid.length === 0 || named !== undefined ? grants : paid;
  const left = grants.length - shown.length;
  const free =
    left === 0 ? [] : [`  (left out: ${left} that ${grantGroups.free.replace("do what needs", "need")})`];
  if (shown.length <= FEW) return [...shown.map(({ words }) => `  - ${words}`), ...free];
  const groups = Map.groupBy(shown, groupOf);
  const order = Object.keys(grantGroups) as GrantGroup[];
  return [...order.flatMap((group) => groupLines(group, groups.get(group) ?? [], named)), ...free];
}

function groupOf({ group }: Grant): GrantGroup {
  return typeof group === "string" ? group : ruleGroup(group.rule);
}

function groupLines(group: GrantGroup, grants: readonly Grant[], named?: number): readonly string[] {
  if (grants.length === 0) return [];
  const most = named ?? (DANGEROUS.has(group) ? NAMED_IF_DANGEROUS : NAMED);
  const left = grants.length - most;
  const words = (text: string) => (named === undefined ? shorten(text, MOST_CHARACTERS) : text);
  return [
    `  ${grantGroups[group]} (${grants.length}):`,
    ...grants.slice(0, left === 1 ? most + 1 : most).map((grant) => `    - ${words(grant.words)}`),
    ...(left > 1 ? [`    - and ${left} more`] : []),
  ];
}

/** Returns one line for a user who cannot be asked: what was left out, and how to allow it; null if nothing was. */
export function untrustedNote(trust: Trust): string | null {
  if (trust.type !== "untrusted") return null;
  const { wasTrusted } = trust;
  // What their definitions may not do is said with the agents and skills.
  const others = (of: readonly Grant[]) => of.filter(({ agent, replaces }) => !agent && !replaces);
  const [grants, fresh] = [others(trust.grants), others(trust.fresh)];
  if (fresh.length === 0) return null;
  if (fresh.every(({ git }) => git))
    return `This directory is not trusted with what its repository would have git do (${listed(fresh)}), so git asks first; --trust agrees to it for this run.`;
  if (fresh.every(({ skill }) => skill))
    return `This directory is not trusted with what its skills would do without a question, or run when they are loaded (${listed(fresh)}); they are there without it, and --trust agrees to it for this run.`;
  const why = wasTrusted
    ? `The settings of this directory have changed since it was trusted (new: ${listed(fresh)})`
    : "This directory is not trusted";
  const what = wasTrusted ? "" : ` (${listed(grants)})`;
  return `${why}, so what its own settings allow or run is left out${what}; --trust counts it for this run.`;
}

function listed(grants: readonly Grant[]): string {
  const order = Object.keys(grantGroups);
  const sorted = grants.toSorted((a, b) => order.indexOf(groupOf(a)) - order.indexOf(groupOf(b)));
  const left = sorted.length - NAMED;
  const words = sorted.slice(0, NAMED).map(({ words }) => shorten(words, MOST_CHARACTERS));
  return `${words.join("; ")}${left > 0 ? `; and ${left} more, which troupe doctor shows` : ""}`;
}
