import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  type ClientCapabilities,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { main } from "../../../src/cli/main.ts";
import { outputStream } from "../../../src/terminal/output-stream.ts";
import { FakeIO } from "../fake-io.ts";
import { FakeRuntime, type FakeScript } from "../fake-session.ts";

/** The program's two pipes as a client holds them. */
class Pipes implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  #rest = "";

  async start(): Promise<void> {
    this.stdout.on("data", (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString("utf8")).split("\n");
      this.#rest = lines.pop() ?? "";
      // Whatever is no message on stdout fails the test that it comes up in.
      for (const line of lines) this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(line)));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.stdin.end();
    this.onclose?.();
  }
}

export interface Served {
  readonly client: Client;
  readonly pipes: Pipes;
  readonly io: FakeIO;
  readonly runtime: FakeRuntime;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number>;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
}

export interface ServedOptions {
  readonly flags?: readonly string[];
  readonly script?: FakeScript;
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
}

/** `troupe mcp serve` on the test's own thread, with a session that the test writes, and the SDK's client. */
export async function served(options: ServedOptions = {}): Promise<Served> {
  const pipes = new Pipes();
  const io = Object.assign(
    new FakeIO({ stdin: pipes.stdin, stdinIsTTY: false, ...(options.env ? { env: options.env } : {}) }),
    { stdout: outputStream(pipes.stdout) },
  );
  const runtime = new FakeRuntime(options.script);
  const ended = main(["mcp", "serve", "--offline", ...(options.flags ?? [])], io, runtime);
  const client = new Client({ name: "a-client", version: "1" }, { capabilities: options.capabilities ?? {} });
  await client.connect(pipes);
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
  return { client, pipes, io, runtime, ended, call };
}

export function textsOf({ content }: CallToolResult): readonly string[] {
  return content.map((block) => (block.type === "text" ? block.text : block.type));
}
