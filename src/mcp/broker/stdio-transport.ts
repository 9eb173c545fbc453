import { type ChildProcess, spawn } from "node:child_process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { type Clock, within } from "../../lib/clock.ts";
import { errorCode } from "../../lib/errors.ts";
import { type ProcessGroup, processGroup } from "../../processes/process-group.ts";
import type { StdioServer } from "../server.ts";
import { TailText } from "./server-text.ts";

/** A server may end by itself once its input is closed, before its group is signalled (the protocol's own order). */
const LEAVE_MS = 500;
const STDERR_CHARS = 2_000;

export interface StdioParts {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly messageBytes: number;
  onProcess(pid: number, running: boolean): void;
}

/** Ends a server's whole process group; the SDK's transport leaves grandchildren. Its output is bounded (fault 58). */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  /** Why it closed, if by the server's fault; half a sentence that follows its name. */
  fault: string | null = null;
  readonly #server: StdioServer;
  readonly #parts: StdioParts;
  readonly #lines: MessageLines;
  readonly #stderr = new TailText(STDERR_CHARS);
  #child: ChildProcess | null = null;
  #group: ProcessGroup | null = null;
  #closing: Promise<void> | null = null;
  #isCutOff = false;

  constructor(server: StdioServer, parts: StdioParts) {
    this.#server = server;
    this.#parts = parts;
    this.#lines = new MessageLines(parts.messageBytes);
  }

  /** The end of its standard error, else of its output that is not messages; empty if we cut it off. */
  get lastOutput(): string {
    return this.#isCutOff ? "" : this.#stderr.text() || this.#lines.garbage();
  }

  start(): Promise<void> {
    const { command, args, env } = this.#server;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const child = spawn(command, args, {
      // Its own group and session: one signal reaches all of it, and it has no terminal to ask for a password.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      cwd: this.#parts.cwd,
      env: { ...this.#parts.env, ...env },
    });
    this.#child = child;
    child.once("error", (error) => {
      this.fault ??= startError(command, error);
      reject(error);
      if (child.pid === undefined) this.#closed();
    });
    child.once("spawn", () => {
      const { pid } = child;
      if (pid === undefined) return;
      this.#group = processGroup(pid, this.#parts.clock);
      this.#parts.onProcess(pid, true);
      resolve();
    });
    child.once("exit", (code, signal) => {
      // Only an end that we did not cause is a fault.
      if (this.#closing === null)
        this.fault ??= signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      void this.close();
    });
    // The exit reports a server that is gone.
    child.stdin.on("error", () => {});
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.add(chunk.toString("utf8")));
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stdout.once("end", () => {
      // `exit` knows more, and usually follows immediately.
      if (this.#closing === null)
        void within(this.#parts.clock, LEAVE_MS, exited(child)).then(() => this.close());
    });
    return promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable || this.#closing !== null) throw new Error("Not connected");
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Ends the server for what it sent, without grace: it would continue to write. */
  cutOff(fault: string): void {
    this.fault ??= fault;
    this.#isCutOff = true;
    this.#child?.stdout?.destroy();
    this.#group?.kill();
    void this.close();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    const group = this.#group;
    if (child !== null && group !== null) {
      child.stdin?.end();
      if (this.fault === null || child.exitCode === null)
        await within(this.#parts.clock, LEAVE_MS, exited(child));
      await group.end();
      child.stdout?.destroy();
      child.stderr?.destroy();
      this.#parts.onProcess(child.pid ?? 0, false);
    }
    this.#closed();
  }

  #closed(): void {
    const { onclose } = this;
    delete this.onclose;
    onclose?.();
  }

  #read(chunk: Buffer): void {
    if (this.#closing !== null) return;
    const { messages, fault } = this.#lines.read(chunk);
    for (const message of messages) this.onmessage?.(message);
    if (fault !== null) this.cutOff(fault);
  }
}

function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

function startError(command: string, error: Error): string {
  switch (errorCode(error)) {
    case "ENOENT":
      return `could not be started: there is no program ${command}, or its working directory is gone`;
    case "EACCES":
      return `could not be started: ${command} is not executable`;
    default:
      return `could not be started: ${error.message}`;
  }
}

interface ReadLines {
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
