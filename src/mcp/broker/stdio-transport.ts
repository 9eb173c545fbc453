import { type ChildProcess, spawn } from "node:child_process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type Clock, within } from "../../mailbox/clock.ts";
import { type ProcessGroup, processGroup } from "../../processes/process-group.ts";
import type { StdioServer } from "../server.ts";
import { MessageLines } from "./message-lines.ts";
import { TailText } from "./tail-text.ts";

/** A server may leave by itself once its input is closed, before its group is told to (the protocol's own order). */
const LEAVE_MS = 500;
const STDERR_CHARS = 2_000;

export interface StdioParts {
  readonly clock: Clock;
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly messageBytes: number;
  onProcess(pid: number, running: boolean): void;
}

/**
 * A server as a child process in a group of its own, which ends as a whole: what the SDK's own transport starts would
 * leave grandchildren behind. What the server writes is bounded before it is kept (fault 58).
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  /** Why it is closed, where the server is to blame; half a sentence that follows its name. */
  fault: string | null = null;
  readonly #server: StdioServer;
  readonly #parts: StdioParts;
  readonly #lines: MessageLines;
  readonly #errors = new TailText(STDERR_CHARS);
  #child: ChildProcess | null = null;
  #group: ProcessGroup | null = null;
  #closing: Promise<void> | null = null;
  /** It was ended for what it wrote. */
  #cutOff = false;

  constructor(server: StdioServer, parts: StdioParts) {
    this.#server = server;
    this.#parts = parts;
    this.#lines = new MessageLines(parts.messageBytes);
  }

  /** The last that the server wrote to its standard error, or else of what was no message; what we did to it is not its word. */
  get complaints(): string {
    return this.#cutOff ? "" : this.#errors.text() || this.#lines.garbage();
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
      this.fault ??= whyNotStarted(command, error);
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
      // What we have ended has no fault in ending.
      if (this.#closing === null)
        this.fault ??= signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      void this.close();
    });
    // The pipe of a server that is gone: its exit says so.
    child.stdin.on("error", () => {});
    child.stderr.on("data", (chunk: Buffer) => this.#errors.add(chunk.toString("utf8")));
    child.stdout.on("data", (chunk: Buffer) => this.#hear(chunk));
    child.stdout.once("end", () => {
      // `exit` knows more, and usually follows at once.
      if (this.#closing === null)
        void within(this.#parts.clock, LEAVE_MS, exited(child)).then(() => this.close());
    });
    return promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable || this.#closing !== null) throw new Error("The server is gone.");
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when nothing of the server runs any more. The same promise every time. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
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
    const tell = this.onclose;
    delete this.onclose;
    tell?.();
  }

  #hear(chunk: Buffer): void {
    if (this.#closing !== null) return;
    const heard = this.#lines.add(chunk);
    for (const message of heard.messages) this.onmessage?.(message);
    if (heard.fault !== null) this.cutOff(heard.fault);
  }

  /** Ends the server for what it sent, without grace: it would go on writing. */
  cutOff(fault: string): void {
    this.fault ??= fault;
    this.#cutOff = true;
    this.#child?.stdout?.destroy();
    this.#group?.kill();
    void this.close();
  }
}

function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

function whyNotStarted(command: string, error: Error): string {
  const code = "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
      return `could not be started: there is no program ${command}, or the folder it starts in is gone`;
    case "EACCES":
      return `could not be started: ${command} may not be executed`;
    default:
      return `could not be started: ${error.message}`;
  }
}
