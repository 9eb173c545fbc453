import type { Compaction, CompactRequest } from "../mailbox/compacted.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";

/** On whose behalf an actor runs this time. */
export interface RunFor {
  /** Who gets the result, or null for the user. */
  readonly owner: ActorId | null;
  /** The call that waits for it, or started it. */
  readonly call: CallId | null;
  /** The result is a notice, not the result of the call. */
  readonly background: boolean;
}

export const FOR_THE_USER: RunFor = { owner: null, call: null, background: false };

/** True if it runs for a hook: its owner waits for it, and no call of a model does. */
export function isForHook({ owner, call, background }: RunFor): boolean {
  return owner !== null && call === null && !background;
}

/** The user's request for a shorter conversation, and who waits for the outcome. */
export type PendingCompaction = CompactRequest & { readonly settle: (compaction: Compaction) => void };

/** The agent type of an actor that starts with the conversation of its parent. */
export const FORK = "fork";
