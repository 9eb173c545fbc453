import type { ActorModel } from "../../mailbox/messages.ts";
import { type Limits, replyTokens } from "../../supervisor/limits.ts";
import { type CompactionOptions, windowFor } from "../compaction/windows.ts";

/** What limits the replies and the conversations of a session. */
export interface ModelLimits {
  readonly options: { readonly limits?: Partial<Limits>; readonly compaction?: CompactionOptions };
  readonly limits: Limits;
}

/** Returns what an actor's spec says of its model. `id`: resolved. */
export function modelSpec({ options, limits }: ModelLimits, id: string): ActorModel {
  const window = windowFor(id, options.compaction);
  return { model: id, maxTokens: replyTokens(limits, options.limits, { id, window: window.tokens }), window };
}
