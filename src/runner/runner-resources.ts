import type { LendSlot } from "../engine/carrier.ts";
import type { Clock } from "../lib/clock.ts";
import { type LentModel, type SpecKit, unpackKit } from "../mailbox/runners.ts";
import type { Gateway, GatewayNotice } from "../model/client.ts";

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

export interface LentGatewaysOptions {
  /** Opens a gateway that asks models with what a session has lent. */
  open(lent: LentModel): Gateway;
  onNotice(notice: GatewayNotice): void;
}

/** The gateway of one attempt. */
export interface GatewayLease {
  readonly gateway: Pick<Gateway, "connect" | "disconnect">;
  /** The attempt has ended. */
  release(): void;
}

/**
 * The gateways that work with what sessions have lent. Attempts with the same credentials share one, and so its limits. They
 * are in memory only, and are forgotten with the last of these attempts.
 */
export class LentGateways {
  readonly #options: LentGatewaysOptions;
  readonly #open = new Map<string, { readonly gateway: Gateway; users: number }>();

  constructor(options: LentGatewaysOptions) {
    this.#options = options;
  }

  take(lent: LentModel): GatewayLease {
    const key = JSON.stringify(lent);
    const entry = this.#open.get(key) ?? { gateway: this.#opened(lent), users: 0 };
    this.#open.set(key, entry);
    entry.users += 1;
    let isReleased = false;
    return {
      gateway: entry.gateway,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        entry.users -= 1;
        if (entry.users > 0) return;
        this.#open.delete(key);
        void entry.gateway.close();
      },
    };
  }

  #opened(lent: LentModel): Gateway {
    const gateway = this.#options.open(lent);
    gateway.onNotice((notice) => this.#options.onNotice(notice));
    return gateway;
  }
}

const MOST_KNOWN = 64;

/** The kits of agents that a runner has had: it gets each once, and knows it by its digest from then on. */
export class KnownKits {
  readonly #known = new Map<string, SpecKit>();

  /** Rejects if `request` does, or brings something else. */
  async find(digest: string, request: () => Promise<string>): Promise<SpecKit> {
    const kit = this.#known.get(digest) ?? unpackKit(await request(), digest);
    // The one used last is forgotten last.
    this.#known.delete(digest);
    this.#known.set(digest, kit);
    for (const oldest of this.#known.keys()) if (this.#known.size > MOST_KNOWN) this.#known.delete(oldest);
    return kit;
  }
}
