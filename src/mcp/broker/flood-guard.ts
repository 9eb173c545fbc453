import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../mailbox/clock.ts";
import type { McpLimits } from "../limits.ts";

const WINDOW_MS = 60_000;
/** A small message costs us as much time as so many bytes. */
const LEAST_BYTES = 256;
/** A request also costs a reply, and perhaps a question to the user. */
const REQUEST_BYTES = 16 * 1024;
/** Of event streams, in messages of the largest size: they carry replies, too. */
const STREAM_MESSAGES = 4;

/** Cuts one connection off once its server sends more in a minute than our requests explain (fault 58). */
export class FloodGuard {
  /** Why the connection was cut off, half a sentence that follows the server's name; null: it was not. */
  fault: string | null = null;
  readonly #clock: Clock;
  readonly #limits: Pick<McpLimits, "messageBytes" | "unaskedBytes">;
  readonly #cutOff: (fault: string) => void;
  readonly #unasked: ByteWindow;
  readonly #streams: ByteWindow;

  constructor(
    clock: Clock,
    limits: Pick<McpLimits, "messageBytes" | "unaskedBytes">,
    cutOff: (fault: string) => void,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#cutOff = cutOff;
    this.#unasked = new ByteWindow(clock);
    this.#streams = new ByteWindow(clock);
  }

  countMessage(message: JSONRPCMessage): void {
    // A reply to a request of ours is free; any other one is an error of the client (`countError`).
    if (!("method" in message)) return;
    const least = "id" in message ? REQUEST_BYTES : LEAST_BYTES;
    this.#countUnasked(Math.max(least, JSON.stringify(message).length));
  }

  /** What the client cannot use: its error quotes a reply to no request. */
  countError({ message }: Error): void {
    this.#countUnasked(Math.max(LEAST_BYTES, message.length));
  }

  /** The bytes of a response to one POST are counted alone, because it carries a reply of its own. */
  countResponse(method: string | undefined): (bytes: number) => void {
    if (method === "POST") return this.#streamCounter(new ByteWindow(this.#clock));
    // A server can end its stream and have it opened again at once.
    this.#countUnasked(REQUEST_BYTES);
    return this.#streamCounter(this.#streams);
  }

  #streamCounter(window: ByteWindow): (bytes: number) => void {
    const most = STREAM_MESSAGES * this.#limits.messageBytes;
    return (bytes) => {
      if (window.add(bytes) > most) this.#end(`more than ${most} bytes of event streams within a minute`);
    };
  }

  #countUnasked(bytes: number): void {
    const most = this.#limits.unaskedBytes;
    if (this.#unasked.add(bytes) > most)
      this.#end(`more than ${most} bytes of unrequested messages within a minute`);
  }

  #end(what: string): void {
    if (this.fault !== null) return;
    this.fault = `sent ${what}, and was cut off`;
    this.#cutOff(this.fault);
  }
}

class ByteWindow {
  readonly #clock: Clock;
  #began: number;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** Returns the bytes of the current minute, these included. */
  add(bytes: number): number {
    const now = this.#clock.now();
    if (now - this.#began >= WINDOW_MS) {
      this.#began = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    return this.#bytes;
  }
}
