import type { OfferedAttempt } from "./carrier.ts";
import type { PipeFrame } from "./pipe-frames.ts";

const MAX_OFFERED = 10_000;

interface Offered extends OfferedAttempt {
  readonly pool: string;
  isSent: boolean;
  /** It runs, and its slot is free for others. */
  isLent: boolean;
}

interface Taker {
  readonly pools: readonly string[];
  /** Below 0 while what was lent is back and all run. */
  free: number;
  isOpen: boolean;
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
    const offered = { ...attempt, pool, isSent: false, isLent: false };
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

  receive(frame: PipeFrame & { type: "take" | "stop" | "lend" | "ended" }): void {
    const taker = "taking" in frame ? this.takers.get(frame.taking) : undefined;
    if (frame.type === "take") {
      if (taker === undefined)
        this.takers.set(frame.taking, { pools: frame.pools, free: frame.slots, isOpen: true });
      else taker.isOpen = true;
    } else if (frame.type === "stop") {
      if (taker !== undefined) taker.isOpen = false;
    } else if (frame.type === "lend") this.lend(frame);
    else this.ended(frame);
    this.send().catch(() => {});
  }

  /** Only of what was sent, once: the other side may not make slots of its own. */
  private lend({ taking, pool, id, isLent }: Omit<PipeFrame & { type: "lend" }, "type">): void {
    const offered = this.find(pool, id);
    if (offered?.isSent !== true || offered.isLent === isLent) return;
    offered.isLent = isLent;
    const taker = this.takers.get(taking);
    if (taker) taker.free += isLent ? 1 : -1;
  }

  private ended({ taking, pool, id, isRun }: PipeFrame & { type: "ended" }): void {
    const offered = this.find(pool, id);
    if (offered?.isSent !== true) return;
    this.lend({ taking, pool, id, isLent: true });
    offered.isLent = false;
    if (isRun) this.remove(offered);
    else offered.isSent = false;
  }

  private async send(): Promise<void> {
    const sent: Promise<void>[] = [];
    for (const offered of this.offered.filter(({ isSent }) => !isSent)) {
      const found = [...this.takers].find(
        ([, taker]) => taker.isOpen && taker.free > 0 && taker.pools.includes(offered.pool),
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
