import type { ToolUseBlock } from "./conversation.ts";

/** A key no tool has: marks an input that could not be parsed, so that it is answered and never guessed at (fault 18). */
const KEY = "__invalid_json";

/** The input of a tool_use block whose JSON is broken. */
export function markInvalid(raw: string): Record<string, string> {
  return { [KEY]: raw };
}

/** The broken JSON (its start), or null where the input was parsed. */
export function invalidInput(block: Pick<ToolUseBlock, "input">): string | null {
  const input: unknown = block.input;
  if (typeof input !== "object" || input === null || !(KEY in input)) return null;
  return String(input[KEY]).slice(0, 200);
}
