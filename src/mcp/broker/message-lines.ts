import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { TailText } from "./tail-text.ts";

export interface HeardLines {
  readonly messages: readonly JSONRPCMessage[];
  /** What makes the server unusable; half a sentence that follows its name. */
  readonly fault: string | null;
}

/** Some servers greet or log on their standard output; one that does nothing else is none. */
const GARBAGE_BYTES = 1024 * 1024;
const GARBAGE_CHARS = 500;
const INTERNAL_ERROR = -32_603;

/** Takes a server's output apart into messages: one a line, each bounded, what is none counted and left out (fault 58). */
export class MessageLines {
  readonly #maxBytes: number;
  readonly #garbage = new TailText(GARBAGE_CHARS);
  #garbageBytes = 0;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The last of what was no message. */
  garbage(): string {
    return this.#garbage.text();
  }

  add(chunk: Buffer): HeardLines {
    const messages: JSONRPCMessage[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      if (this.#bytes > this.#maxBytes) return { messages, fault: this.#tooLong() };
      const message = this.#take();
      if (message !== null) messages.push(message);
      if (this.#garbageBytes > GARBAGE_BYTES)
        return { messages, fault: "writes to its standard output what are no messages" };
    }
    this.#keep(chunk.subarray(from));
    return { messages, fault: this.#bytes > this.#maxBytes ? this.#tooLong() : null };
  }

  #tooLong(): string {
    return `sent a message of more than ${this.#maxBytes} bytes`;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #take(): JSONRPCMessage | null {
    const bytes = this.#bytes;
    const line = Buffer.concat(this.#parts, bytes).toString("utf8").trim();
    this.#parts = [];
    this.#bytes = 0;
    const message = line === "" ? null : messageOf(line);
    if (message !== null) return message;
    // With its line end: empty lines can be endless, too.
    this.#garbageBytes += bytes + 1;
    if (line === "") return null;
    this.#garbage.add(`${line.slice(0, GARBAGE_CHARS)}\n`);
    return null;
  }
}

function messageOf(line: string): JSONRPCMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = JSONRPCMessageSchema.safeParse(value);
  return parsed.success ? parsed.data : brokenAnswer(value);
}

/** An answer that breaks the rules ends its request, which would else wait for its whole time. */
function brokenAnswer(value: unknown): JSONRPCMessage | null {
  if (typeof value !== "object" || value === null || "method" in value || !("id" in value)) return null;
  const { id } = value;
  if (typeof id !== "number" && typeof id !== "string") return null;
  const message = "its answer is no JSON-RPC";
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message } };
}
