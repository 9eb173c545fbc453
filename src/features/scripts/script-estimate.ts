import { formatDollars } from "../../lib/text.ts";
import type { CostEstimate } from "../budget/cost-estimate.ts";
import type { PastRuns } from "../budget/past-runs.ts";
import { USUAL_AGENT } from "./script-call.ts";

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

/** A call of `agent` in a script's text, as far as it can be read without running it. */
export interface CallInSource {
  readonly type: string;
  readonly model?: string;
}

const CALL = /\bagent\s*\(/g;
/** A text in quotes, or a parenthesis. */
const PIECE = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[()]/g;
/** What comes before the text of an option. */
const OPTION = /\b(agentType|model)["']?\s*:\s*$/;
const OPTION_CHARS = 40;

/** Returns the calls; if a type or model is not plain text, the usual one. */
export function parseCalls(source: string): readonly CallInSource[] {
  return [...source.matchAll(CALL)].map(({ index, 0: start }) => callAt(source, index + start.length));
}

/** Reads the arguments of a call up to its closing parenthesis. */
function callAt(source: string, from: number): CallInSource {
  const found = new Map<string, string>();
  let depth = 1;
  PIECE.lastIndex = from;
  for (let piece = PIECE.exec(source); piece !== null && depth > 0; piece = PIECE.exec(source)) {
    const { 0: text, index } = piece;
    if (text === "(") depth += 1;
    else if (text === ")") depth -= 1;
    else if (depth === 1 && !text.includes("${")) {
      const [, option] = OPTION.exec(source.slice(Math.max(from, index - OPTION_CHARS), index)) ?? [];
      if (option !== undefined) found.set(option, text.slice(1, -1));
    }
  }
  const model = found.get("model");
  return { type: found.get("agentType") ?? USUAL_AGENT, ...(model === undefined ? {} : { model }) };
}
