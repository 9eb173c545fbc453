import { Worker, type WorkerOptions } from "node:worker_threads";
import { type Clock, pause, within } from "../../mailbox/clock.ts";
import type { FromThread, ThreadData, ToThread } from "./lane.ts";
import type { Program, SandboxPlace } from "./sandbox.ts";

/** Looking through a work tree and loading the runtime take a tenth of that. */
const WRAP_MS = 30_000;
const CLOSE_MS = 5_000;

/** In `dist` all bundles lie in one folder; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./thread.ts" : "./sandbox-thread.js",
  import.meta.url,
);

/** The asker's side of the sandbox's thread. */
export class SandboxThread {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, (answer: Program | string) => void>();
  readonly #gone = Promise.withResolvers<void>();
  #tickets = 0;
  /** Why it answers no more. */
  #ended: string | null = null;
  #closing: Promise<void> | null = null;

  constructor(data: ThreadData, env: Readonly<Record<string, string>>, clock: Clock) {
    this.#clock = clock;
    const options: WorkerOptions = { name: "sandbox", workerData: data, env, execArgv: [] };
    this.#worker = new Worker(ENTRY, options);
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) =>
      this.#end(`its thread failed (${error instanceof Error ? error.message : String(error)})`),
    );
    this.#worker.on("exit", () => {
      this.#end("its thread has ended");
      this.#gone.resolve();
    });
    this.#worker.unref();
  }

  /** The program to start instead, or why there is none. Never rejects. */
  async wrap(
    program: Program,
    place: SandboxPlace,
    weaker: boolean,
    signal?: AbortSignal,
  ): Promise<Program | string> {
    const over = new AbortController();
    const stop = () => over.abort();
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    const { ticket, answer } = this.#ask((ticket) => ({ type: "wrap", ticket, program, place, weaker }));
    const late = pause(this.#clock, WRAP_MS, over.signal).then(() => null);
    const first = await Promise.race([answer, late]);
    signal?.removeEventListener("abort", stop);
    stop();
    if (first !== null) return first;
    // Nobody waits any more, but what is made all the same has to be taken back.
    if (this.#waiting.has(ticket))
      this.#waiting.set(ticket, (made) => void (typeof made !== "string" && this.done()));
    return "it did not answer in time";
  }

  /** One command that was wrapped has ended. Resolves when its traces are gone; never rejects. */
  async done(): Promise<void> {
    await this.#ask((ticket) => ({ type: "done", ticket })).answer;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#ended === null) {
      this.#worker.ref();
      this.#worker.postMessage({ type: "close" } satisfies ToThread);
      this.#ended = "the session is closing";
    }
    if (!(await within(this.#clock, CLOSE_MS, this.#gone.promise))) await this.#worker.terminate();
  }

  /** Answered by a sentence where the thread is no more. */
  #ask(message: (ticket: number) => ToThread): {
    readonly ticket: number;
    readonly answer: Promise<Program | string>;
  } {
    const ticket = ++this.#tickets;
    const { promise: answer, resolve } = Promise.withResolvers<Program | string>();
    if (this.#ended === null) {
      this.#waiting.set(ticket, resolve);
      this.#worker.ref();
      this.#worker.postMessage(message(ticket));
    } else resolve(this.#ended);
    return { ticket, answer };
  }

  #receive(message: FromThread): void {
    if (message.type === "closed") return;
    const resolve = this.#waiting.get(message.ticket);
    this.#waiting.delete(message.ticket);
    switch (message.type) {
      case "wrapped":
        resolve?.(message.program);
        break;
      case "failed":
        resolve?.(message.reason);
        break;
      case "tidied":
        resolve?.("");
        break;
      default:
        message satisfies never;
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#waiting.size === 0 && this.#closing === null) this.#worker.unref();
  }

  #end(why: string): void {
    this.#ended ??= why;
    for (const resolve of this.#waiting.values()) resolve(this.#ended);
    this.#waiting.clear();
  }
}
