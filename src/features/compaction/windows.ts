import type { ContextWindow } from "../../mailbox/compacted.ts";
import { contextWindowOf, type OwnWindows } from "../../model/known-models.ts";

/** How conversations are fitted to the context windows of their models. */
export interface CompactionOptions {
  /** False to compact only on request (default true). */
  readonly auto?: boolean;
  /** The share of the window at which a conversation is compacted, 0.1 to 1 (default 0.9). */
  readonly at?: number;
  /** Tokens of a model's window by its full ID, if they are not the published ones. */
  readonly windows?: OwnWindows;
}

const COMPACT_AT = { min: 0.1, max: 1, usual: 0.9 } as const;

/** Returns the window of the agent's own model, whatever its parent's is (A19.5). */
export function windowFor(
  model: string,
  { auto = true, at, windows }: CompactionOptions = {},
): ContextWindow {
  const { min, max, usual } = COMPACT_AT;
  const share = at === undefined || Number.isNaN(at) ? usual : Math.min(max, Math.max(min, at));
  return { tokens: contextWindowOf(model, windows), compactAt: share, auto };
}
