import { formatDollars } from "../../lib/figures.ts";
import type { PastRuns } from "../budget/past-runs.ts";

/** What is known of what a script may cost, before it starts. */
export interface ScriptEstimate {
  /** Null if nothing is known. */
  readonly likelyUsd: number | null;
  /** One sentence for the user. */
  readonly sentence: string;
}

/** The agent of most calls, and how a call is written. */
const USUAL = "general-purpose";
const CALL = /\bagent\s*\(/g;

/** Names the runs of one script among the past runs of agents. */
export function scriptRunName(script: { readonly path?: string | null; readonly name: string }): string {
  return `script ${script.path ?? script.name}`;
}

/** By the last runs of this very script; else by its calls, as far as they can be counted, and what such agents have cost here. */
export function estimateScript(
  script: { readonly path?: string | null; readonly name: string; readonly source: string },
  model: string,
  past: Pick<PastRuns, "lately" | "average">,
): ScriptEstimate {
  const lately = past.lately(scriptRunName(script), model);
  if (lately !== null) {
    const { usd, runs } = lately;
    const by = runs === 1 ? "as its last run did" : `as its last ${runs} runs did on average`;
    return { likelyUsd: usd, sentence: `It is likely to cost ${formatDollars(usd)}, ${by}.` };
  }
  const calls = script.source.match(CALL)?.length ?? 0;
  const each = past.average(USUAL, model);
  if (each === null || calls === 0)
    return { likelyUsd: null, sentence: "What it may cost is not known: no run of it is recorded here." };
  return {
    likelyUsd: calls * each,
    sentence: `It is likely to cost ${formatDollars(calls * each)} or more: it has ${calls === 1 ? "one call" : `${calls} calls`} of agent, which can run several times, and such an agent has cost ${formatDollars(each)} here on average.`,
  };
}
