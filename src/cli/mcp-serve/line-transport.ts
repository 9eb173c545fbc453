import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { CliIO } from "../io.ts";

/** A line longer than this is no request, such as a disk image piped in. */
const MAX_BYTES = 16 * 1024 * 1024;
const INVALID_REQUEST = -32_600;

export interface LineTransportParts {
  readonly io: Pick<CliIO, "stdin" | "stdout">;
  /** The client has closed its end, or what it writes cannot be read any more. Told once. */
  onGone(): void;
  /** A line that is no message of the protocol, in a sentence. */
  onGarbage(sentence: string): void;
}

/**
 * The client at the other end of standard input and output, one message a line. What is no message costs its line and
 * nothing else; the end of the input is told before anything is cancelled, because it says how things are to end.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #parts: LineTransportParts;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #gone = false;
  #closed = false;

  constructor(parts: LineTransportParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { stdin } = this.#parts.io;
    stdin.on("data", this.#hear).once("end", this.#leave).on("error", this.#leave).once("close", this.#leave);
  }

  /** What a client that is gone does not read any more is dropped. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    await this.#parts.io.stdout.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { stdin } = this.#parts.io;
    stdin.off("data", this.#hear).off("end", this.#leave).off("close", this.#leave);
    // An open pipe that nobody reads would keep the process alive.
    stdin.destroy();
    this.onclose?.();
  }

  readonly #leave = (): void => {
    if (this.#gone) return;
    this.#gone = true;
    this.#pieces = [];
    this.#parts.onGone();
  };

  readonly #hear = (data: Buffer | string): void => {
    if (this.#gone) return;
    const chunk = Buffer.from(data);
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      this.#take();
    }
    this.#keep(chunk.subarray(from));
    if (this.#bytes <= MAX_BYTES) return;
    this.#parts.onGarbage(`More than ${MAX_BYTES / 1024 / 1024} MB came without a line break.`);
    this.#leave();
  };

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  #take(): void {
    const line = Buffer.concat(this.#pieces, this.#bytes).toString("utf8").trim();
    this.#pieces = [];
    this.#bytes = 0;
    if (line === "") return;
    const value = parsed(line);
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) this.onmessage?.(message.data);
    else this.#refuse(value, line);
  }

  /** Whoever waits for an answer gets one, on either side. */
  #refuse(value: unknown, line: string): void {
    const id = idOf(value);
    const error = { code: INVALID_REQUEST, message: "This is no JSON-RPC 2.0 message." };
    if (id === null) {
      const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line;
      this.#parts.onGarbage(`A line on stdin was no message of the protocol and was left out: ${shown}`);
    } else if (isAnswer(value)) this.onmessage?.({ jsonrpc: "2.0", id, error });
    else this.send({ jsonrpc: "2.0", id, error }).catch((reason: Error) => this.onerror?.(reason));
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  const { id } = value;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function isAnswer(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("result" in value || "error" in value);
}
