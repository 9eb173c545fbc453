import { hash } from "node:crypto";
import { canonicalJson } from "../../lib/json.ts";
import type { PermissionQuestion } from "./questions.ts";

/**
 * One call, whichever actor makes it: the same tool with the same effect in the same directory, under the same rules.
 */
export type SameCall = Pick<PermissionQuestion, "tool" | "input" | "cwd" | "scope">;

/** Returns the same key for equal calls; null for a call that equals no other. */
export function callKey({ tool, input, cwd, scope }: SameCall): string | null {
  try {
    // A model may write the same fields in another order. A hash, because a refusal is remembered for the session and
    // an input can be a whole file.
    return hash("sha256", canonicalJson([tool, cwd, scope.root, scope.atMost, plain(input)]), "base64");
  } catch {
    // Nested too deeply, or not JSON.
    return null;
  }
}

/** Adds the rules to choose from: one answer serves all callers with this key. */
export function questionKey(question: PermissionQuestion): string | null {
  const call = callKey(question);
  return call === null ? null : JSON.stringify([call, ...question.grants]);
}

/** Fields that only describe a call, such as Bash's `description`, do not make it another call. */
function plain(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("command" in input)) return input;
  const { description: _, ...rest } = { description: undefined, ...input };
  return rest;
}
