import { type SpecKit, unpackKit } from "../mailbox/runners.ts";

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
