import type { Carrier } from "./carrier.ts";
import type { Seal } from "./seal.ts";

const TOPIC = "blob";

/** Bytes that the engine keeps for a while and cannot read: bundles of repositories. */
export class SealedBlobs {
  readonly #open: () => Promise<{ readonly carrier: Carrier; readonly sealer: Seal }>;

  constructor(open: () => Promise<{ readonly carrier: Carrier; readonly sealer: Seal }>) {
    this.#open = open;
  }

  /** Rejects if the engine is away, or the bytes are over 8 MiB. Returns the name under which they are kept. */
  async put(bytes: Uint8Array): Promise<string> {
    const { carrier, sealer } = await this.#open();
    return carrier.putBlob(sealer.sealBytes(TOPIC, bytes));
  }

  /** Rejects with a sentence if the engine lost them, or others than members of the fleet wrote them. */
  async take(name: string): Promise<Uint8Array> {
    const { carrier, sealer } = await this.#open();
    const sealed = await carrier.getBlob(name);
    if (sealed === null) throw new Error("The engine has lost the files of the agent.");
    const bytes = sealer.openBytes(TOPIC, sealed);
    if (bytes === null) throw new Error("The files of the agent were sealed with another key.");
    await carrier.dropBlob(name).catch(() => {});
    return bytes;
  }
}
