import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../lib/clock.ts";
import type { McpLimits } from "../server.ts";

const WINDOW_MS = 60_000;
/** A small message costs us as much time as these bytes. */
const LEAST_BYTES = 256;
/** A request also costs a reply, and perhaps a question to the user. */
const REQUEST_BYTES = 16 * 1024;
/** Of event streams, in messages of the largest size: they carry replies, too. */
const STREAM_MESSAGES = 4;

/** Cuts one connection off if its server sends more in a minute than our requests explain (fault 58). */
export class FloodGuard {
  /** Why the connection was cut off, half a sentence that follows the server's name; null if it was not. */
  fault: string | null = null;
  readonly #limits: Pick<McpLimits, "messageBytes" | "unaskedBytes">;
  readonly #cutOff: (fault: string) => void;
  readonly #newCounter: () => (bytes: number) => number;
  readonly #countUnasked: (bytes: number) => void;
  readonly #countStreams: (bytes: number) => void;

  constructor(
    clock: Clock,
    limits: Pick<McpLimits, "messageBytes" | "unaskedBytes">,
    cutOff: (fault: string) => void,
  ) {
    this.#limits = limits;
    this.#cutOff = cutOff;
    this.#newCounter = () => minuteCounter(clock);
    this.#countUnasked = this.#limit(limits.unaskedBytes, "unrequested messages");
    this.#countStreams = this.#limitStreams();
  }

  countMessage(message: JSONRPCMessage): void {
    // A reply to our request is free; another reply is an error of the client (`countError`).
    if (!("method" in message)) return;
    const least = "id" in message ? REQUEST_BYTES : LEAST_BYTES;
    this.#countUnasked(Math.max(least, JSON.stringify(message).length));
  }

  /** Counts what the client cannot use: its error quotes it. */
  countError({ message }: Error): void {
    this.#countUnasked(Math.max(LEAST_BYTES, message.length));
  }

  /** Counts a response to a POST alone, because it carries a reply of its own. */
  countResponse(method: string | undefined): (bytes: number) => void {
    if (method === "POST") return this.#limitStreams();
    // A server can end its stream to have it opened again immediately.
    this.#countUnasked(REQUEST_BYTES);
    return this.#countStreams;
  }

  #limitStreams(): (bytes: number) => void {
    return this.#limit(STREAM_MESSAGES * this.#limits.messageBytes, "event streams");
  }

  #limit(most: number, what: string): (bytes: number) => void {
    const count = this.#newCounter();
    return (bytes) => {
      if (count(bytes) <= most || this.fault !== null) return;
      this.fault = `sent more than ${most} bytes of ${what} within a minute, and was cut off`;
      this.#cutOff(this.fault);
    };
  }
}

function minuteCounter(clock: Clock): (bytes: number) => number {
  let startedAt = clock.now();
  let sum = 0;
  return (bytes) => {
    const now = clock.now();
    if (now - startedAt >= WINDOW_MS) {
      startedAt = now;
      sum = 0;
    }
    sum += bytes;
    return sum;
  };
}
