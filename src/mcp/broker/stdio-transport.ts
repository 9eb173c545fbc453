import { type ChildProcess, spawn } from "node:child_process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { errorCode } from "../../lib/errors.ts";
import { type Clock, within } from "../../mailbox/clock.ts";
import { type ProcessGroup, processGroup } from "../../processes/process-group.ts";
import type { StdioServer } from "../server.ts";
import { MessageLines } from "./message-lines.ts";
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

/**
 * A server as a child process in a process group of its own, which ends as a whole: the SDK's own transport would leave
 * grandchildren behind. The server's output is bounded before it is kept (fault 58).
 */
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
