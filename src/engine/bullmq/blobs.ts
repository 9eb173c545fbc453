import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { hashBlob } from "../limits.ts";
import type { Pulse } from "./pulse.ts";
import type { Reopened } from "./reopened.ts";
import type { JobQueue } from "./server.ts";

/** A slow line needs a while for 8 MiB. */
const BLOB_ENDS_MS = 60_000;

const KEPT_MS = 24 * 3_600_000;
const CLEANED_EVERY_MS = 3_600_000;

/** Keeps blobs as jobs that no worker takes, because Relay keeps nothing and a job may be large. */
export class Blobs {
  private readonly queue: Reopened<JobQueue>;
  private readonly pulse: Pulse;
  private readonly clock: Clock;
  private cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(queue: Reopened<JobQueue>, pulse: Pulse, clock: Clock = systemClock) {
    this.queue = queue;
    this.pulse = pulse;
    this.clock = clock;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const hash = hashBlob(bytes);
    await this.call(async (queue) => {
      await this.clean(queue);
      // The same again, such as the schemas of tools, is not sent again.
      if ((await queue.getJobState(hash)) === "unknown")
        await queue.add("blob", { base64: Buffer.from(bytes).toString("base64") }, { jobId: hash });
    });
    return hash;
  }

  get(hash: string): Promise<Uint8Array | null> {
    return this.call(async (queue) => {
      const base64: unknown = (await queue.getJob(hash))?.data?.base64;
      if (typeof base64 !== "string") return null;
      const bytes = Buffer.from(base64, "base64");
      return createHash("sha256").update(bytes).digest("hex") === hash ? bytes : null;
    });
  }

  drop(hash: string): Promise<void> {
    return this.call(async (queue) => void (await queue.remove(hash)));
  }

  private call<T>(work: (queue: JobQueue) => Promise<T>): Promise<T> {
    return this.pulse.call(async () => work(await this.queue.get()), BLOB_ENDS_MS);
  }

  /** Removes what ended sessions left behind. */
  private async clean(queue: JobQueue): Promise<void> {
    if (this.clock.now() - this.cleanedAt < CLEANED_EVERY_MS) return;
    this.cleanedAt = this.clock.now();
    await queue.clean(KEPT_MS, 1000, "wait");
  }
}
