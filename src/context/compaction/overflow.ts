import type { ModelOutcome } from "../../model/client.ts";

/** How servers report their window; the number is its size. */
const SAID = [
  /(?:tokens|\d)\s*>\s*(\d[\d,_]*)/i,
  /(?:maximum number of tokens allowed|token limit|must be <=|exceeds the limit of)\D{0,3}(\d[\d,_]*)/i,
  /maximum (?:prompt|input|model) length(?: of this model)? is (\d[\d,_]*)/i,
  /range of input length should be \[\d+, (\d+)\]/i,
  /maximum context (?:length|window)(?: of this model)? is (\d[\d,_]*)/i,
  /context (?:length|window|size)(?:(?!\bby\b)\D){0,20}(\d[\d,_]*)/i,
];
const LEAST = 1_000;

/** Returns the reported window if the conversation was too long for the server; null otherwise (fault 8). */
export function overflowOf(outcome: ModelOutcome): { readonly window: number | null } | null {
  if (outcome.type === "reply")
    return outcome.reply.stopReason === "model_context_window_exceeded" ? { window: null } : null;
  const { kind, message } = outcome.failure;
  return kind === "too_large" ? { window: windowIn(message) } : null;
}

function windowIn(message: string): number | null {
  for (const pattern of SAID) {
    const tokens = Number(pattern.exec(message)?.[1]?.replaceAll(/[,_]/g, ""));
    if (tokens >= LEAST) return tokens;
  }
  return null;
}
