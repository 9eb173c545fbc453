import { Readable } from "node:stream";

/** What a process says on both of its streams. */
export interface Output {
  readonly out: string;
  readonly err: string;
}

type Stream = NodeJS.ReadableStream;

/** Collects what comes; `whole` answers once both have ended. */
export class GitOutput {
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];
  readonly #ended: Promise<unknown>;
  readonly #streams: readonly Stream[];

  /** `onBytes`: how much more has come on `stdout`. */
  constructor(stdout: Stream, stderr: Stream, onBytes: (count: number) => void = () => {}) {
    this.#streams = [stdout, stderr];
    stdout.on("data", (chunk: Buffer) => onBytes(chunk.length));
    this.#ended = Promise.all([collected(stdout, this.#out), collected(stderr, this.#err)]);
  }

  /**
   * Null: somebody still holds them open `patienceMs` after this was asked, or it was aborted; nothing is listened to
   * any more then.
   */
  async whole(patienceMs: number, signal: AbortSignal | undefined): Promise<Output | null> {
    const { promise: given, resolve: giveUp } = Promise.withResolvers<false>();
    const stop = () => giveUp(false);
    const timer = setTimeout(stop, patienceMs);
    signal?.addEventListener("abort", stop, { once: true });
    const isWhole = await Promise.race([this.#ended.then(() => true), given]);
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    if (isWhole) return { out: textOf(this.#out), err: textOf(this.#err) };
    for (const stream of this.#streams) if (stream instanceof Readable) stream.destroy();
    return null;
  }
}

function collected(stream: Stream, into: Buffer[]): Promise<void> {
  stream.on("data", (chunk: Buffer) => into.push(chunk));
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
