import { type Clock, pause } from "../lib/clock.ts";
import type { Carrier } from "./carrier.ts";
import { EngineAwayError } from "./limits.ts";
import type { Seal } from "./seal.ts";

const TOPIC = "blob";
/** Milliseconds between two tries while the engine is away, and how long it is tried. */
const RETRY_MS = 2_000;
const PATIENCE_MS = 30 * 60_000;

export interface SealedBlobsOptions {
  open(): Promise<{ readonly carrier: Carrier; readonly sealer: Seal }>;
  readonly clock: Clock;
  /** True if the bytes are of no use any longer. */
  isOver(): boolean;
}

/** Bytes that the engine keeps for a while and cannot read: bundles of repositories. An engine that is away is awaited. */
export class SealedBlobs {
  readonly #options: SealedBlobsOptions;

  constructor(options: SealedBlobsOptions) {
    this.#options = options;
  }

  /** Returns the name under which they are kept. Rejects if they are over 8 MiB, or the engine is away for long. */
  put(bytes: Uint8Array): Promise<string> {
    return this.#patiently(({ carrier, sealer }) => carrier.putBlob(sealer.sealBytes(TOPIC, bytes)));
  }

  /** Rejects with a sentence if the engine lost them, or others than members of the fleet wrote them. */
  async take(name: string): Promise<Uint8Array> {
    const bytes = await this.#patiently(async ({ carrier, sealer }) => {
      const sealed = await carrier.getBlob(name);
      if (sealed === null) throw new Error("The engine has lost the files of the agent.");
      const opened = sealer.openBytes(TOPIC, sealed);
      if (opened === null) throw new Error("The files of the agent were sealed with another key.");
      return opened;
    });
    const { carrier } = await this.#options.open();
    await carrier.dropBlob(name).catch(() => {});
    return bytes;
  }

  async #patiently<T>(
    call: (line: { readonly carrier: Carrier; readonly sealer: Seal }) => Promise<T>,
  ): Promise<T> {
    const { open, clock, isOver } = this.#options;
    const until = clock.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await call(await open());
      } catch (error) {
        if (!(error instanceof EngineAwayError) || isOver() || clock.now() > until) throw error;
      }
      await pause(clock, RETRY_MS);
    }
  }
}
