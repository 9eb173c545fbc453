import { type Clock, within } from "../lib/clock.ts";
import { blobsOf, EngineAwayError, isBlob, nameBlob } from "./limits.ts";
import type { PipeFrame } from "./pipe-frames.ts";

const GET_ENDS_MS = 60_000;

/** What this side keeps for the other; the oldest blobs go first. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

/** Each side keeps what it puts, and asks the other for everything else. */
export class PipeBlobs {
  private readonly kept = new Map<string, Uint8Array>();
  private readonly asked = new Map<number, (base64: string | null) => void>();
  private readonly write: (frame: PipeFrame) => Promise<void>;
  private readonly clock: Clock;
  private keptBytes = 0;
  private requests = 0;
  private hasEnded = false;

  constructor(write: (frame: PipeFrame) => Promise<void>, clock: Clock) {
    this.write = write;
    this.clock = clock;
  }

  put(owner: string, bytes: Uint8Array): string {
    const name = nameBlob(owner, bytes);
    this.drop(name);
    this.kept.set(name, bytes.slice());
    this.keptBytes += bytes.length;
    for (const oldest of this.kept.keys()) {
      if (this.keptBytes <= MAX_KEPT_BYTES) break;
      this.drop(oldest);
    }
    return name;
  }

  async get(name: string): Promise<Uint8Array | null> {
    const kept = this.kept.get(name);
    if (kept) return kept.slice();
    const request = this.requests++;
    const answered = new Promise<string | null>((resolve) => this.asked.set(request, resolve));
    try {
      await this.write({ type: "get", request, name });
      if (!(await within(this.clock, GET_ENDS_MS, answered)) || this.hasEnded)
        throw new EngineAwayError("The other end did not send the blob.");
    } finally {
      this.asked.delete(request);
    }
    const base64 = await answered;
    if (base64 === null) return null;
    const bytes = Buffer.from(base64, "base64");
    return isBlob(name, bytes) ? bytes : null;
  }

  drop(name: string): void {
    this.keptBytes -= this.kept.get(name)?.length ?? 0;
    this.kept.delete(name);
  }

  dropOf(owner: string): void {
    for (const name of [...this.kept.keys()]) if (name.startsWith(blobsOf(owner))) this.drop(name);
  }

  receive(frame: PipeFrame & { type: "get" | "blob" | "drop" | "drop-of" }): void {
    if (frame.type === "drop") this.drop(frame.name);
    else if (frame.type === "drop-of") this.dropOf(frame.owner);
    else if (frame.type === "blob") this.asked.get(frame.request)?.(frame.base64);
    else this.send(frame.request, frame.name);
  }

  end(): void {
    this.hasEnded = true;
    for (const resolve of this.asked.values()) resolve(null);
    this.kept.clear();
    this.keptBytes = 0;
  }

  private send(request: number, name: string): void {
    const kept = this.kept.get(name);
    const base64 = kept === undefined ? null : Buffer.from(kept).toString("base64");
    this.write({ type: "blob", request, base64 }).catch(() => {});
  }
}
