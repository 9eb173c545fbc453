import { type Clock, pause } from "../lib/clock.ts";
import { MAX_BUNDLE_BYTES, TooLargeError } from "../mailbox/runners.ts";
import type { Carrier } from "./carrier.ts";
import { dropParts, EngineAwayError, getParts, putParts } from "./limits.ts";
import type { Seal } from "./seal.ts";

const TOPIC = "blob";
/** Milliseconds between two tries while the engine is away, and how long it is tried. */
const RETRY_MS = 2_000;
const PATIENCE_MS = 30 * 60_000;

export interface SealedBlobsOptions {
  open(): Promise<{ readonly carrier: Carrier; readonly sealer: Seal }>;
  /** Whose they are. */
  readonly session: string;
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

  /** Returns the name under which they are kept, which has those of their parts. Rejects if they are over 64 MiB, or the engine is away for long. */
  async put(bytes: Uint8Array): Promise<string> {
    if (bytes.length > MAX_BUNDLE_BYTES) throw new TooLargeError(bytes.length);
    // Sealed once: the engine has the parts that it took before it went away.
    let sealed: Uint8Array | undefined;
    const { session, isOver } = this.#options;
    return await this.#patiently(async ({ carrier, sealer }) => {
      sealed ??= sealer.sealBytes(TOPIC, bytes);
      const name = await putParts(carrier, session, sealed);
      // Their session may have ended, and dropped what it had.
      if (isOver()) await dropParts(carrier, name);
      return name;
    });
  }

  /** Rejects with a sentence if the engine lost them, or others than members of the fleet wrote them. */
  async take(name: string): Promise<Uint8Array> {
    return await this.#patiently(async ({ carrier, sealer }) => {
      const sealed = await getParts(carrier, name);
      if (sealed === null) throw new Error("The engine has lost the files of the agent.");
      const opened = sealer.openBytes(TOPIC, sealed);
      if (opened === null) throw new Error("The files of the agent were sealed with another key.");
      await dropParts(carrier, name);
      return opened;
    });
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
