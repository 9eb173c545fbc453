import { createHash } from "node:crypto";
import { canonicalJson } from "../../lib/json.ts";
import type { PermissionQuestion } from "./questions.ts";

/** One call, whoever makes it: the same tool would do the same thing in the same folder, under the same rules. */
export type SameCall = Pick<PermissionQuestion, "tool" | "input" | "cwd" | "territory">;

/** The same for two calls that are the same; null where that cannot be told, and then it is like no other. */
export function callKey({ tool, input, cwd, territory }: SameCall): string | null {
  try {
    // A model may write the same fields in another order. A hash, because a refusal is remembered for the session and an input can be a whole file.
    return createHash("sha256")
      .update(canonicalJson([tool, cwd, territory.root, territory.atMost, plain(input)]))
      .digest("base64");
  } catch {
    // Nested deeper than the stack, or no JSON.
    return null;
  }
}

/** The same call with the same rules to choose from: one answer serves all who ask. */
export function questionKey(question: PermissionQuestion): string | null {
  const call = callKey(question);
  return call === null ? null : JSON.stringify([call, ...question.grants]);
}

/** What only describes a call, such as Bash's `description`, makes it no other call. */
function plain(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("command" in input)) return input;
  const { description: _, ...rest } = { description: undefined, ...input };
  return rest;
}
