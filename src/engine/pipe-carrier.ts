import type { Readable, Writable } from "node:stream";
import { type Clock, systemClock, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { Carrier, Listening, OfferedAttempt, RunAttempt, Taking } from "./carrier.ts";
import { assertName, assertText, assertTopic, EngineAwayError, WIRE } from "./limits.ts";
import { PipeBlobs } from "./pipe-blobs.ts";
import { type PipeFrame, parseFrame, readJsonLines } from "./pipe-frames.ts";
import { PipeOffers } from "./pipe-offers.ts";

/** Fits a blob of 8 MiB in base64, and a text of 256 KiB whatever JSON makes of it. */
const MAX_LINE_BYTES = 12 * 1024 * 1024;

const HELLO_ENDS_MS = 30_000;
const WRITE_ENDS_MS = 10_000;

/** If the other side reads so slowly that more than this waits, nothing more is written. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export interface PipeOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly clock?: Clock;
}

interface PipeTaking {
  readonly run: RunAttempt;
  isOpen: boolean;
}

/** Resolves when the program at the other end has answered. Throws one sentence if it does not, or has another version. */
export async function openPipe(options: PipeOptions): Promise<PipeCarrier> {
  const carrier = new PipeCarrier(options);
  const problem = await carrier.greet();
  if (problem === null) return carrier;
  await carrier.close();
  throw new Error(problem);
}

/** Carries everything over two streams, between two parties, one JSON object per line. */
export class PipeCarrier implements Carrier {
  isUp = false;
  /** Lines that could not be read, such as a greeting of the machine at the other end. */
  malformed = 0;
  private readonly input: Readable;
  private readonly output: Writable;
  private readonly clock: Clock;
  private readonly listeners = new Set<{ readonly topic: string; readonly hear: (text: string) => void }>();
  private readonly upListeners: Array<(isUp: boolean) => void> = [];
  private readonly takings = new Map<number, PipeTaking>();
  private readonly offers: PipeOffers;
  private readonly blobs: PipeBlobs;
  private readonly greeted: Promise<string | null>;
  private resolveGreeted: (problem: string | null) => void = () => {};
  private takingsMade = 0;
  /** The other end is gone, so nothing more is read there. */
  private isLost = false;

  constructor({ input, output, clock = systemClock }: PipeOptions) {
    this.input = input;
    this.output = output;
    this.clock = clock;
    const write = (frame: PipeFrame) => this.write(frame);
    this.offers = new PipeOffers(write);
    this.blobs = new PipeBlobs(write, clock);
    this.greeted = new Promise((resolve) => {
      this.resolveGreeted = resolve;
    });
    readJsonLines(input, MAX_LINE_BYTES, (line) => {
      const frame = line === null ? null : parseFrame(line);
      if (frame === null) this.malformed += 1;
      else this.receive(frame);
    });
    for (const event of ["end", "close", "error"]) input.on(event, () => this.lose());
    for (const event of ["close", "error"]) output.on(event, () => this.lose());
  }

  /** Returns null when the other end has answered, else why not. */
  async greet(): Promise<string | null> {
    this.output.write(`${JSON.stringify({ type: "hello", wire: WIRE } satisfies PipeFrame)}\n`);
    const isGreeted = await within(this.clock, HELLO_ENDS_MS, this.greeted);
    return isGreeted ? this.greeted : `The runner did not answer within ${HELLO_ENDS_MS / 1000} s.`;
  }

  async offer(pool: string, attempt: OfferedAttempt, first = false): Promise<void> {
    assertName(pool);
    assertName(attempt.id);
    assertText(attempt.body);
    this.assertUp();
    await this.offers.add(pool, attempt, first);
  }

  async isTaken(pool: string, id: string): Promise<boolean> {
    return this.offers.isTaken(pool, id);
  }

  async withdraw(pool: string, id: string): Promise<void> {
    this.assertUp();
    this.offers.withdraw(pool, id);
  }

  take(pools: readonly string[], slots: number, run: RunAttempt): Taking {
    pools.forEach(assertName);
    const taking = this.takingsMade++;
    const entry: PipeTaking = { run, isOpen: true };
    this.takings.set(taking, entry);
    const resume = async () => {
      entry.isOpen = true;
      if (this.isUp) await this.write({ type: "take", taking, pools: [...pools], slots });
    };
    const pause = async () => {
      entry.isOpen = false;
      if (this.isUp) await this.write({ type: "stop", taking });
    };
    resume().catch(() => {});
    return { pause, resume, close: pause };
  }

  async publish(topic: string, text: string): Promise<void> {
    assertTopic(topic);
    assertText(text);
    this.hear(topic, text);
    await this.write({ type: "text", topic, text });
  }

  async listen(topic: string, hear: (text: string) => void): Promise<Listening> {
    assertTopic(topic);
    this.assertUp();
    const listener = { topic, hear };
    this.listeners.add(listener);
    return { close: async () => void this.listeners.delete(listener) };
  }

  async putBlob(owner: string, bytes: Uint8Array): Promise<string> {
    this.assertUp();
    return this.blobs.put(owner, bytes);
  }

  getBlob(name: string): Promise<Uint8Array | null> {
    return this.blobs.get(name);
  }

  async dropBlob(name: string): Promise<void> {
    this.blobs.drop(name);
    await this.write({ type: "drop", name });
  }

  async dropBlobsOf(owner: string): Promise<void> {
    this.blobs.dropOf(owner);
    await this.write({ type: "drop-of", owner });
  }

  onUp(listener: (isUp: boolean) => void): void {
    this.upListeners.push(listener);
  }

  /** Ends the output, and with it the other end. What that still says is not read: it would keep this process alive. */
  async close(): Promise<void> {
    this.end();
    if (this.isLost) this.output.destroy();
    else await within(this.clock, WRITE_ENDS_MS, this.endOutput());
    this.input.destroy();
  }

  private receive(frame: PipeFrame): void {
    switch (frame.type) {
      case "hello":
        this.welcome(frame.wire);
        break;
      case "text":
        this.hear(frame.topic, frame.text);
        break;
      case "attempt":
        void this.run(frame);
        break;
      case "take":
      case "stop":
      case "lend":
      case "ended":
        this.offers.receive(frame);
        break;
      case "get":
      case "blob":
      case "drop":
      case "drop-of":
        this.blobs.receive(frame);
        break;
      default:
        frame satisfies never;
    }
  }

  private welcome(wire: number): void {
    this.isUp = wire === WIRE;
    const other = `The runner speaks version ${wire} and this program ${WIRE}. Update the older one.`;
    this.resolveGreeted(this.isUp ? null : other);
  }

  private hear(topic: string, text: string): void {
    for (const listener of this.listeners) if (listener.topic === topic) listener.hear(text);
  }

  private async run({ taking, pool, id, body }: PipeFrame & { type: "attempt" }): Promise<void> {
    const entry = this.takings.get(taking);
    const isRun = entry?.isOpen === true;
    const lend = (isLent: boolean) => {
      this.write({ type: "lend", taking, pool, id, isLent }).catch(() => {});
    };
    if (isRun) await entry.run({ id, body }, pool, lend).catch(() => {});
    await this.write({ type: "ended", taking, pool, id, isRun }).catch(() => {});
  }

  private assertUp(): void {
    if (!this.isUp) throw new EngineAwayError("The runner at the other end has gone.");
  }

  /** Resolves when the stream has taken the frame. */
  private async write(frame: PipeFrame): Promise<void> {
    this.assertUp();
    if (this.output.writableLength > MAX_WAITING_BYTES)
      throw new EngineAwayError("The other end reads too slowly.");
    const written = new Promise<void>((resolve, reject) =>
      this.output.write(`${JSON.stringify(frame)}\n`, (error) => (error ? reject(error) : resolve())),
    );
    if (!(await within(this.clock, WRITE_ENDS_MS, written))) {
      written.catch(() => {});
      throw new EngineAwayError("The other end does not read.");
    }
    await written.catch((error: unknown) => {
      throw new EngineAwayError(`The connection to the other end was lost: ${errorMessage(error)}.`);
    });
  }

  /** Resolves when all is written, or can no longer be written. */
  private endOutput(): Promise<void> {
    return new Promise((resolve) => {
      this.output.once("close", resolve);
      this.output.end(resolve);
    });
  }

  private lose(): void {
    this.isLost = true;
    this.end();
  }

  private end(): void {
    this.resolveGreeted("The runner ended before it answered.");
    this.blobs.end();
    this.listeners.clear();
    for (const taking of this.takings.values()) taking.isOpen = false;
    if (!this.isUp) return;
    this.isUp = false;
    for (const listener of this.upListeners) listener(false);
  }
}
