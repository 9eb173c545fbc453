import type { OfferedAttempt } from "./carrier.ts";
import type { PipeFrame } from "./pipe-frames.ts";

const MAX_OFFERED = 10_000;

interface Offered extends OfferedAttempt {
  readonly pool: string;
  isSent: boolean;
}

interface Taker {
  readonly pools: readonly string[];
  free: number;
}

/** What this side offers: it keeps the queue, and sends an attempt when the other side has a slot for it. */
export class PipeOffers {
  private readonly offered: Offered[] = [];
  private readonly takers = new Map<number, Taker>();
  private readonly write: (frame: PipeFrame) => Promise<void>;

  constructor(write: (frame: PipeFrame) => Promise<void>) {
    this.write = write;
  }

  async add(pool: string, attempt: OfferedAttempt, first: boolean): Promise<void> {
    if (this.find(pool, attempt.id) !== undefined) return;
    if (this.offered.length >= MAX_OFFERED)
      throw new Error(`More than ${MAX_OFFERED} attempts wait for a runner.`);
    const offered = { ...attempt, pool, isSent: false };
    if (first) this.offered.unshift(offered);
    else this.offered.push(offered);
    await this.send();
  }

  withdraw(pool: string, id: string): void {
    const offered = this.find(pool, id);
    if (offered?.isSent === false) this.remove(offered);
  }

  isTaken(pool: string, id: string): boolean {
    return this.find(pool, id)?.isSent === true;
  }

  receive(frame: PipeFrame & { type: "take" | "stop" | "ended" }): void {
    if (frame.type === "take") this.takers.set(frame.taking, { pools: frame.pools, free: frame.slots });
    else if (frame.type === "stop") this.takers.delete(frame.taking);
    else this.ended(frame);
    this.send().catch(() => {});
  }

  private ended({ taking, pool, id, isRun }: PipeFrame & { type: "ended" }): void {
    const offered = this.find(pool, id);
    // Nothing else was sent: the other side may not make slots of its own.
    if (offered?.isSent !== true) return;
    const taker = this.takers.get(taking);
    if (taker) taker.free += 1;
    if (isRun) this.remove(offered);
    else offered.isSent = false;
  }

  private async send(): Promise<void> {
    const sent: Promise<void>[] = [];
    for (const offered of this.offered.filter(({ isSent }) => !isSent)) {
      const found = [...this.takers].find(
        ([, taker]) => taker.free > 0 && taker.pools.includes(offered.pool),
      );
      if (!found) continue;
      const [taking, taker] = found;
      const { pool, id, body } = offered;
      offered.isSent = true;
      taker.free -= 1;
      sent.push(this.write({ type: "attempt", taking, pool, id, body }));
    }
    await Promise.all(sent);
  }

  private find(pool: string, id: string): Offered | undefined {
    return this.offered.find((offered) => offered.id === id && offered.pool === pool);
  }

  private remove(offered: Offered): void {
    this.offered.splice(this.offered.indexOf(offered), 1);
  }
}
