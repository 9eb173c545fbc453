import { formatDollars } from "../../lib/figures.ts";
import type { CostEstimate } from "../budget/cost-estimate.ts";
import type { PastRuns } from "../budget/past-runs.ts";
import { type CallInSource, parseCalls } from "./parse-calls.ts";

/** What is known of what a script may cost, before it starts. */
export interface ScriptEstimate {
  /** Null if nothing is known. */
  readonly likelyUsd: number | null;
  /** The least of its last runs; else the same as `likelyUsd`. */
  readonly lowUsd: number | null;
  /** The most of its last runs, or what is left of the budget; null without either. */
  readonly highUsd: number | null;
  /** One sentence for the user. */
  readonly sentence: string;
}

export interface ScriptEstimateParts {
  /** Of the main conversation. */
  readonly model: string;
  readonly past: Pick<PastRuns, "lately">;
  /** Dollars of the session's budget; Infinity for no limit. */
  readonly leftUsd: number;
  /** Estimates one agent for each call; null if they cost nothing, or a price is not known. */
  estimate(calls: readonly CallInSource[]): CostEstimate | null;
}

const UNKNOWN: ScriptEstimate = {
  ...{ likelyUsd: null, lowUsd: null, highUsd: null },
  sentence: "What it may cost is not known: no run of it is recorded here.",
};

/** Names the runs of one script among the past runs of agents. */
export function scriptRunName(script: { readonly path?: string | null; readonly name: string }): string {
  return `script ${script.path ?? script.name}`;
}

/** By the last runs of this very script; else by its calls, as far as they can be read in its source. */
export function estimateScript(
  script: { readonly path?: string | null; readonly name: string; readonly source: string },
  { model, past, leftUsd, estimate }: ScriptEstimateParts,
): ScriptEstimate {
  const most = Number.isFinite(leftUsd) ? `, and ${formatDollars(leftUsd)} at most (the budget)` : "";
  const lately = past.lately(scriptRunName(script), model);
  if (lately !== null) {
    const { usd, low, high, runs } = lately;
    const within = (one: number) => Math.min(one, leftUsd);
    const by = runs === 1 ? "as its last run did" : `as its last ${runs} runs did on average`;
    const [from, to] = [formatDollars(low), formatDollars(high)];
    const range = from === to ? "" : ` (${from} to ${to})`;
    const sentence = `It is likely to cost ${formatDollars(usd)}, ${by}${range}${high > leftUsd ? most : ""}.`;
    return { likelyUsd: within(usd), lowUsd: within(low), highUsd: within(high), sentence };
  }
  const calls = parseCalls(script.source);
  const estimated = calls.length === 0 ? null : estimate(calls);
  if (estimated === null) return UNKNOWN;
  const { likelyUsd, isKnown } = estimated;
  return {
    ...{ likelyUsd, lowUsd: likelyUsd, highUsd: most === "" ? null : leftUsd },
    sentence: `It is likely to cost ${formatDollars(likelyUsd)} or more${most}: it has ${calls.length === 1 ? "one call" : `${calls.length} calls`} of agent, which can run several times (by ${isKnown ? "past" : "typical"} runs of such agents).`,
  };
}
