import { type Clock, systemClock } from "../../lib/clock.ts";
import { blobsOf, isBlob, nameBlob } from "../limits.ts";
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

  async put(owner: string, bytes: Uint8Array): Promise<string> {
    const name = nameBlob(owner, bytes);
    await this.call(async (queue) => {
      await this.clean(queue);
      // The same again, such as the schemas of tools, is not sent again.
      if ((await queue.getJobState(name)) === "unknown")
        await queue.add("blob", { base64: Buffer.from(bytes).toString("base64") }, { jobId: name });
    });
    return name;
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.call(async (queue) => {
      const base64: unknown = (await queue.getJob(name))?.data?.base64;
      if (typeof base64 !== "string") return null;
      const bytes = Buffer.from(base64, "base64");
      return isBlob(name, bytes) ? bytes : null;
    });
  }

  drop(name: string): Promise<void> {
    return this.call(async (queue) => void (await queue.remove(name)));
  }

  dropOf(owner: string): Promise<void> {
    return this.call(async (queue) => {
      for (const name of await queue.getRanges(["waiting"], 0, -1))
        if (name.startsWith(blobsOf(owner))) await queue.remove(name);
    });
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
