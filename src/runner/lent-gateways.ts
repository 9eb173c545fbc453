import type { LentModel } from "../mailbox/runners.ts";
import type { Gateway, GatewayNotice } from "../model/client.ts";

interface LentGatewaysOptions {
  /** Opens a gateway that asks models with what a session has lent. */
  open(lent: LentModel): Gateway;
  onNotice(notice: GatewayNotice): void;
}

/** The gateway of one attempt. */
interface GatewayLease {
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
