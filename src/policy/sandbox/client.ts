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

interface Waiter {
  resolve(answer: Program | string): void;
}

/** The asker's side of the sandbox's thread. */
export class SandboxThread {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiter>();
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
    if (this.#ended !== null) return this.#ended;
    const ticket = ++this.#tickets;
    const { promise, resolve } = Promise.withResolvers<Program | string>();
    this.#waiting.set(ticket, { resolve });
    this.#worker.ref();
    this.#send({ type: "wrap", ticket, program, place, weaker });
    const over = new AbortController();
    const stop = () => over.abort();
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    const late = pause(this.#clock, WRAP_MS, over.signal).then(() => "it did not answer in time");
    const answer = await Promise.race([promise, late]);
    signal?.removeEventListener("abort", stop);
    stop();
    // Whoever gave up is answered all the same, and what was made for him is taken back.
    if (this.#waiting.delete(ticket) && this.#ended === null)
      this.#waiting.set(ticket, { resolve: (late) => typeof late !== "string" && this.done() });
    this.#rest();
    return answer;
  }

  done(): void {
    if (this.#ended === null) this.#send({ type: "done" });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#ended === null) {
      this.#worker.ref();
      this.#send({ type: "close" });
      this.#ended = "the session is closing";
    }
    if (!(await within(this.#clock, CLOSE_MS, this.#gone.promise))) await this.#worker.terminate();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if (message.type === "closed") return;
    const waiter = this.#waiting.get(message.ticket);
    this.#waiting.delete(message.ticket);
    switch (message.type) {
      case "wrapped":
        waiter?.resolve(message.program);
        break;
      case "failed":
        waiter?.resolve(message.reason);
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
    for (const { resolve } of this.#waiting.values()) resolve(this.#ended);
    this.#waiting.clear();
  }
}
