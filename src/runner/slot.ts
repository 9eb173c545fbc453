import type { LendSlot } from "../engine/carrier.ts";
import type { Clock } from "../lib/clock.ts";

/** Milliseconds between two looks at whether an attempt still does nothing else than wait. */
const LOOK_MS = 1_000;

/**
 * The slot of an attempt. It is lent while the attempt only waits for a tool of its session that may wait for other agents: if every
 * slot had an attempt that waits for others, none would ever end.
 */
export class Slot {
  readonly #clock: Pick<Clock, "after">;
  readonly #lend: LendSlot;
  #waits = 0;
  #isLent = false;
  #withdraw = () => {};

  constructor(clock: Pick<Clock, "after">, lend: LendSlot) {
    this.#clock = clock;
    this.#lend = lend;
  }

  get isLent(): boolean {
    return this.#isLent;
  }

  /** Settles as `other` does. `isBusy`: a call of the attempt runs on this machine. */
  async lendWhile<T>(other: Promise<T>, isBusy: () => boolean): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.#lookLater(isBusy);
    try {
      return await other;
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.close();
    }
  }

  /** It is the attempt's again, for as long as that lasts. */
  close(): void {
    this.#withdraw();
    this.#set(false);
  }

  #lookLater(isBusy: () => boolean): void {
    this.#withdraw = this.#clock.after(LOOK_MS, () => {
      this.#set(!isBusy());
      this.#lookLater(isBusy);
    });
  }

  #set(isLent: boolean): void {
    if (isLent === this.#isLent) return;
    this.#isLent = isLent;
    this.#lend(isLent);
  }
}
