import type { Clock } from "../lib/clock.ts";
import { HEARTBEAT_MS, type RunnerInfo } from "../mailbox/runners.ts";

/** Milliseconds after which a runner that says nothing is not counted as connected. */
const GONE_MS = 4 * HEARTBEAT_MS;

/** The runners that were heard of lately. */
export class RunnerList {
  readonly #clock: Pick<Clock, "now">;
  readonly #runners = new Map<string, { readonly info: RunnerInfo; readonly at: number }>();
  /** When runners were first asked since the engine answers; null if they were not. */
  #askedAt: number | null = null;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  note(info: RunnerInfo): void {
    this.#runners.set(info.id, { info, at: this.#clock.now() });
  }

  /** The connection was lost, and they with it. */
  clear(): void {
    this.#runners.clear();
    this.#askedAt = null;
  }

  noteAsked(): void {
    this.#askedAt ??= this.#clock.now();
  }

  /** The engine was away: runners could not respond. */
  noteAway(): void {
    this.#askedAt = null;
  }

  /**
   * Returns why an agent of this pool has not started, as what an agent does; null while runners may still respond.
   * `isOurs`: the only runner is one that this session has started.
   */
  whyWaits(pool: string, isOurs = false): string | null {
    const now = this.#clock.now();
    for (const [id, { at }] of this.#runners) if (now - at > GONE_MS) this.#runners.delete(id);
    const ofPool = [...this.#runners.values()].filter(({ info }) => info.pools.includes(pool));
    if (ofPool.length === 0) {
      if (this.#askedAt === null || now - this.#askedAt < HEARTBEAT_MS) return null;
      // One with another key cannot read who asks, so it is silent.
      return `waits for a runner of pool ${pool}; none is connected${isOurs ? "" : " that has this fleet key"}`;
    }
    const taking = ofPool.filter(({ info }) => !info.draining && info.rests === undefined);
    const [resting] = ofPool.flatMap(({ info: { name, rests } }) =>
      rests === undefined ? [] : [{ name, rests }],
    );
    if (taking.length === 0)
      return resting === undefined
        ? `waits for a runner of pool ${pool}; all of them are shutting down`
        : `waits for a runner of pool ${pool}; ${resting.name} takes nothing: ${resting.rests}`;
    return `waits for a free slot of pool ${pool} (${taking.length} connected)`;
  }
}
