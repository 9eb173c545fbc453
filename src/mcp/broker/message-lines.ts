import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { TailText } from "./server-text.ts";

export interface ReadLines {
  readonly messages: readonly JSONRPCMessage[];
  /** Why the server is unusable, half a sentence that follows its name; null if it is not. */
  readonly fault: string | null;
}

/** Some servers greet or log on their standard output; one that does little else is not a server. */
const GARBAGE_BYTES = 1024 * 1024;
const GARBAGE_CHARS = 500;
const INTERNAL_ERROR = -32_603;

/** Splits a server's output into messages, one a line. Each is bounded; other lines are counted and left out (fault 58). */
export class MessageLines {
  readonly #maxBytes: number;
  readonly #garbage = new TailText(GARBAGE_CHARS);
  #garbageBytes = 0;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  garbage(): string {
    return this.#garbage.text();
  }

  read(chunk: Buffer): ReadLines {
    const messages: JSONRPCMessage[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      if (this.#bytes > this.#maxBytes) return { messages, fault: this.#tooLong() };
      const message = this.#takeLine();
      if (message !== null) messages.push(message);
      if (this.#garbageBytes > GARBAGE_BYTES)
        return { messages, fault: "writes lines to its standard output that are not messages" };
    }
    this.#keep(chunk.subarray(from));
    return { messages, fault: this.#bytes > this.#maxBytes ? this.#tooLong() : null };
  }

  #tooLong(): string {
    return `sent a message of more than ${this.#maxBytes} bytes`;
  }

  #keep(piece: Buffer): void {
    if (piece.length > 0) this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  #takeLine(): JSONRPCMessage | null {
    const bytes = this.#bytes;
    const line = Buffer.concat(this.#pieces, bytes).toString("utf8").trim();
    this.#pieces = [];
    this.#bytes = 0;
    const message = line === "" ? null : parseMessage(line);
    if (message !== null) return message;
    // With its line end: empty lines can be endless, too.
    this.#garbageBytes += bytes + 1;
    if (line !== "") this.#garbage.add(`${line.slice(0, GARBAGE_CHARS)}\n`);
    return null;
  }
}

function parseMessage(line: string): JSONRPCMessage | null {
  try {
    const value: unknown = JSON.parse(line);
    const parsed = JSONRPCMessageSchema.safeParse(value);
    return parsed.success ? parsed.data : invalidAnswer(value);
  } catch {
    return null;
  }
}

/** An invalid answer ends its request, which would otherwise wait until its timeout. */
function invalidAnswer(value: unknown): JSONRPCMessage | null {
  if (typeof value !== "object" || value === null || "method" in value || !("id" in value)) return null;
  const { id } = value;
  if (typeof id !== "number" && typeof id !== "string") return null;
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: "its answer is not JSON-RPC" } };
}
