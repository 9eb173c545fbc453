import type { ToolUseBlock } from "./conversation.ts";

/** A key no tool has: marks an input that could not be parsed, so that it is answered and never guessed at (fault 18). */
const KEY = "__invalid_json";

/** The same for an input that its reply's end has cut. */
const CUT_KEY = "__cut_at_tokens";
const STUB_CHARS = 200;

/** The input of a tool_use block whose JSON is broken. */
export function markInvalid(raw: string): Record<string, string> {
  return { [KEY]: raw };
}

/** The same where the reply ended inside it, at so many tokens: a stub is kept of what was written. */
export function markCut(raw: string, tokens: number): Record<string, unknown> {
  return { [KEY]: raw.slice(0, STUB_CHARS).toWellFormed(), [CUT_KEY]: tokens };
}

/** The tokens at which the reply was cut inside this call; null: it was not. */
export function cutAt({ input }: Pick<ToolUseBlock, "input">): number | null {
  if (typeof input !== "object" || input === null || !(CUT_KEY in input)) return null;
  return Number(input[CUT_KEY]);
}

/** The broken JSON (its start), or null where the input was parsed. */
export function invalidInput(block: Pick<ToolUseBlock, "input">): string | null {
  const input: unknown = block.input;
  if (typeof input !== "object" || input === null || !(KEY in input)) return null;
  return String(input[KEY]).slice(0, STUB_CHARS);
}
