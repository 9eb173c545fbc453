import type { MergeMode } from "../mailbox/worktree.ts";

const TITLE_CHARS = 100;

/** An `end` record must stay short: a list of sessions reads only the last bytes of each. */
export function titleOf(prompt: string): string {
  const line = prompt.trim().replace(/\s+/g, " ");
  // Between words: half a secret would not be known for one.
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).replace(/\S*$/, "")}…`;
}

interface OddSpawn {
  readonly prompt: string;
  readonly tokenBudget: number | undefined;
  readonly timeoutMs: number | undefined;
}

/** `unknown`: the options that are left when all that there are were taken. */
export function validateSpawn(
  { prompt, tokenBudget, timeoutMs }: OddSpawn,
  unknown: Readonly<Record<string, never>>,
): void {
  assertNoneLeft("spawn", unknown);
  assertNonEmptyPrompt(prompt);
  refuseNoNumber("tokenBudget", "tokens", tokenBudget);
  refuseNoNumber("timeoutMs", "milliseconds", timeoutMs);
}

/** Compared with anything it is false, so a limit that is not a number would never be reached. */
function refuseNoNumber(name: string, unit: string, value: number | undefined): void {
  if (Number.isNaN(value)) throw new Error(`${name} is NaN; give a number of ${unit}, or leave it out.`);
}

/** A model refuses an empty message, and no user means one. */
export function assertNonEmptyPrompt(prompt: string): void {
  if (prompt.trim() === "") throw new Error("The prompt is empty; say what the agent should do.");
}

/**
 * Throws if an object has a field that its reader has not taken. The compiler refuses one that the type has, so no field
 * is ignored on the quiet.
 */
export function assertNoneLeft(reader: string, rest: Readonly<Record<string, never>>): void {
  const [field] = Object.keys(rest);
  if (field !== undefined) throw new Error(`${reader} has no option ${JSON.stringify(field)}; leave it out.`);
}

export function assertMergeHasTree(merge: MergeMode | undefined, isolation: "worktree" | undefined): void {
  if (merge !== undefined && isolation === undefined)
    throw new Error(
      `merge says how the edits of a worktree are merged, and this agent has none. Add isolation: "worktree", or leave out merge.`,
    );
}
