import { type Clock, pause } from "../mailbox/clock.ts";
import type { ActorRecord } from "./actor-record.ts";
import type { Background } from "./background.ts";

export interface Keeping {
  readonly clock: Clock;
  /** As long as nothing comes, at most. */
  readonly ms: number;
  /** Gives the actor's slot back meanwhile. */
  whileWaiting(other: Promise<void>): Promise<void>;
}

/**
 * An actor that has answered waits here for news of what it runs in the background (A19.8): whether it is to go
 * on with them. It ends when nothing of it runs any more, when it is stopped, or when its time is over.
 */
export async function newsBeforeTheEnd(
  actor: ActorRecord,
  background: Pick<Background, "runningOf">,
  { clock, ms, whileWaiting }: Keeping,
): Promise<boolean> {
  const running = background.runningOf(actor.id);
  const { signal } = actor.stopping;
  if (signal.aborted) return false;
  // News alone must not turn an answer into the report of an agent that ran out of turns.
  if (!actor.mayTakeTurns) return actor.steering.length > 0;
  if (actor.hasNews || running.length === 0) return actor.hasNews;
  const over = new AbortController();
  const abort = () => over.abort();
  signal.addEventListener("abort", abort, { once: true });
  actor.keptBy = `in the background: ${running.map(({ title }) => title).join("; ")}`;
  const allEnded = Promise.all(running.map(({ ended }) => ended));
  try {
    await whileWaiting(Promise.race([actor.news(), allEnded.then(() => {}), pause(clock, ms, over.signal)]));
  } finally {
    actor.keptBy = null;
    signal.removeEventListener("abort", abort);
    over.abort();
  }
  return actor.hasNews && !signal.aborted;
}
