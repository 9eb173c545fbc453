import type { ToolUseBlock } from "../mailbox/conversation.ts";

/**
 * A key that no tool has: marks an input that could not be parsed, so that the call fails and its input is never
 * guessed (fault 18).
 */
const KEY = "__invalid_json";

/** The same for an input that was cut at the end of the reply. */
const CUT_KEY = "__cut_at_tokens";
const STUB_CHARS = 200;

/** Returns the input of a tool_use block whose JSON is broken. */
export function markInvalid(raw: string): Record<string, string> {
  return { [KEY]: raw };
}

/** Returns the input of a call in which the reply ended, at that many tokens, with a stub of its text. */
export function markCut(raw: string, tokens: number): Record<string, unknown> {
  return { [KEY]: raw.slice(0, STUB_CHARS).toWellFormed(), [CUT_KEY]: tokens };
}

/** Returns the tokens at which the reply was cut inside this call, or null. */
export function cutAt({ input }: Pick<ToolUseBlock, "input">): number | null {
  if (typeof input !== "object" || input === null || !(CUT_KEY in input)) return null;
  return Number(input[CUT_KEY]);
}

/** Returns the start of the broken JSON, or null if the input was parsed. */
export function invalidInput(block: Pick<ToolUseBlock, "input">): string | null {
  const input: unknown = block.input;
  if (typeof input !== "object" || input === null || !(KEY in input)) return null;
  return String(input[KEY]).slice(0, STUB_CHARS);
}
