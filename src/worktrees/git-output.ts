import { Readable } from "node:stream";

/** What a process printed to both of its streams. */
export interface Output {
  readonly out: string;
  readonly err: string;
}

type Stream = NodeJS.ReadableStream;

/** Collects the output of a process; `whole` resolves when both streams have ended. */
export class GitOutput {
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];
  readonly #ended: Promise<unknown>;
  readonly #streams: readonly Stream[];

  /** `onBytes` receives the number of new bytes on `stdout`. */
  constructor(stdout: Stream, stderr: Stream, onBytes: (count: number) => void = () => {}) {
    this.#streams = [stdout, stderr];
    stdout.on("data", (chunk: Buffer) => onBytes(chunk.length));
    this.#ended = Promise.all([collected(stdout, this.#out), collected(stderr, this.#err)]);
  }

  /**
   * Resolves to null if a process still holds the streams open after `patienceMs`, or on abort; then stops listening.
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
