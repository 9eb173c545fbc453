import type { AgentView } from "../events/event.ts";
import { formatDollars } from "../lib/figures.ts";
import { counted } from "../terminal/figures.ts";
import { RUN_PREFIX } from "../tools/workflow.ts";

type Tree = readonly Pick<
  AgentView,
  "id" | "parent" | "key" | "answersKey" | "description" | "state" | "summary" | "costUsd"
>[];

/**
 * Lists the calls of a resumed script by name: reused, rejected, continuing and running again, with the likely cost of
 * those that run. Empty if the script has made no call.
 */
export function planLines(tree: Tree, force: readonly string[]): readonly string[] {
  const calls = [...lastAttempts(tree).values()].map((attempts) => ({
    ...callOf(attempts, force),
    attempts,
  }));
  if (calls.length === 0) return [];
  const of = (state: string) => calls.filter((call) => call.state === state);
  const [reused, rejected, open, again] = [of("reused"), of("rejected"), of("open"), of("again")];
  const costs = [...reused, ...rejected].map(({ attempts }) =>
    attempts.reduce((sum, { id }) => sum + costOf(tree, id), 0),
  );
  const spent = costs.reduce((sum, cost) => sum + cost, 0);
  const left = open.length + again.length;
  const each = costs.length === 0 ? 0 : spent / costs.length;
  return [
    ...line(`Reused, and not paid again${spent > 0 ? ` (${formatDollars(spent)} spent)` : ""}`, reused),
    ...line("Rejected before, and not run again without --force LABEL", rejected),
    ...line("Continue from their last turn", open),
    ...line("Run again, if the script still makes them", again),
    left === 0
      ? "Only calls that are new cost anything."
      : `${counted(left, "call")} of these ${left === 1 ? "runs" : "run"}${each > 0 ? `, likely for ${formatDollars(each * left)}` : ""}; calls that are new come in addition.`,
  ];
}

/** The agents of each call, by its name in the run; of one that was forced to run again those since then. */
function lastAttempts(tree: Tree): ReadonlyMap<string, Tree> {
  const last = new Map<string, Tree>();
  for (const view of tree) {
    if (view.key === undefined || view.key.startsWith(RUN_PREFIX)) continue;
    const call = nameIn(view.key);
    const before = last.get(call) ?? [];
    last.set(call, before[0]?.key === view.key ? [...before, view] : [view]);
  }
  return last;
}

/** The key without how often the call was forced. */
function nameIn(key: string): string {
  return key.split(".").slice(0, 2).join(".");
}

function callOf(attempts: Tree, force: readonly string[]) {
  const [first] = attempts;
  const name = first?.description ?? "";
  const forced = force.includes(name) || (first?.key !== undefined && force.includes(nameIn(first.key)));
  if (forced) return { name: `${name} (--force)`, state: "again" };
  const answered = attempts.find(({ answersKey }) => answersKey);
  if (answered) {
    const { status } = answered.summary ?? {};
    return { name, state: status === "done" || status === "partial" ? "reused" : "rejected" };
  }
  const isOpen = attempts.some(({ state }) => state !== "ended");
  return isOpen
    ? { name, state: "open" }
    : { name: `${name} (${attempts.at(-1)?.summary?.status})`, state: "again" };
}

function costOf(tree: Tree, id: AgentView["id"]): number {
  return tree
    .filter((one) => one.id === id || one.parent === id)
    .reduce((sum, one) => sum + (one.id === id ? one.costUsd : costOf(tree, one.id)), 0);
}

function line(what: string, calls: readonly { readonly name: string }[]): readonly string[] {
  return calls.length === 0 ? [] : [`${what}: ${calls.map(({ name }) => name).join(", ")}.`];
}
