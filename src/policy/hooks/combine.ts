import type { HookDecision } from "./hook-decision.ts";

/** Opinions of several hooks on one event, in their configured order, whichever ended first. */
export interface Combined {
  readonly verdict?: "allow" | "ask" | "block";
  /** Of those who gave the verdict. */
  readonly reason?: string;
  readonly input?: unknown;
  readonly prompt?: string;
  readonly text?: string;
  readonly stop?: string;
  readonly messages: readonly string[];
}

const SEVERITY = { allow: 1, ask: 2, block: 3 } as const;

/** block > ask > allow; of inputs the last one counts; texts are joined. */
export function combine(opinions: readonly HookDecision[]): Combined {
  const verdict = strictest(opinions);
  const reason = joined(opinions.filter((one) => one.verdict === verdict).map((one) => one.reason));
  const input = opinions.findLast((one) => one.input !== undefined)?.input;
  const prompt = opinions.findLast((one) => one.prompt !== undefined)?.prompt;
  const text = joined(opinions.map((one) => one.text));
  const stop = opinions.find((one) => one.stop !== undefined)?.stop;
  return {
    ...(verdict && { verdict, ...(reason && { reason }) }),
    ...(input && { input }),
    ...(prompt !== undefined && { prompt }),
    ...(text && { text }),
    ...(stop !== undefined && { stop }),
    messages: opinions.flatMap((one) => one.message ?? []),
  };
}

function strictest(opinions: readonly HookDecision[]): HookDecision["verdict"] {
  let verdict: HookDecision["verdict"];
  for (const one of opinions) {
    if (one.verdict && (!verdict || SEVERITY[one.verdict] > SEVERITY[verdict])) verdict = one.verdict;
  }
  return verdict;
}

function joined(texts: readonly (string | undefined)[]): string {
  return [...new Set(texts.filter((text) => text !== undefined))].join("\n");
}
