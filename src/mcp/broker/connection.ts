import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Clock, within } from "../../mailbox/clock.ts";
import type { McpLimits } from "../limits.ts";
import type { McpServer } from "../server.ts";
import { type ClientParts, clientOf } from "./client.ts";
import { ended, reasonOf } from "./error-text.ts";
import { FloodGuard } from "./flood-guard.ts";
import { httpTransports, isUnauthorized, mayBeOlder } from "./http-transport.ts";
import { NO_TIMEOUT_MS } from "./pages.ts";
import { requestTimeout } from "./request-timeout.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { listTools, type ToolList } from "./tool-list.ts";

/** Servers may leave a session politely, but are not waited for. */
const GOODBYE_MS = 2_000;

export interface ConnectionParts extends ClientParts {
  readonly clock: Clock;
  /** Of stdio servers, before what their own entry adds. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly signIns: string;
  readonly limits: McpLimits;
  onProcess(pid: number, running: boolean): void;
}

/** One connection to one server, from hello to goodbye. */
export interface Connection {
  readonly client: Client;
  readonly tools: ToolList;
  readonly instructions: string | undefined;
  /** Resolves when the server has gone by itself. */
  readonly lost: Promise<Lost>;
  /** Ends it; resolves when nothing of the server runs any more. */
  close(): Promise<void>;
}

/** Why a server has gone: half a sentence that follows its name, and what else is to say, as sentences or empty. */
export interface Lost {
  readonly fault: string;
  readonly details: string;
  /** True if only the user may start it again. */
  readonly final: boolean;
}

/** Or why there is none: a sentence. */
export type Connected =
  | { readonly type: "connected"; readonly connection: Connection }
  | { readonly type: "needs-auth" | "failed"; readonly reason: string; readonly final: boolean };

/** Starts or reaches the server and asks for its tools. Never rejects, and ends within `startMs`. */
export async function connect(
  server: McpServer,
  parts: ConnectionParts,
  stop: AbortSignal,
): Promise<Connected> {
  const { startMs } = parts.limits;
  const time = requestTimeout(parts.clock, { quietMs: startMs, longestMs: startMs }, stop);
  try {
    return await tryAll(server, parts, time.signal);
  } finally {
    time.end();
  }
}

async function tryAll(server: McpServer, parts: ConnectionParts, signal: AbortSignal): Promise<Connected> {
  let error: unknown = new Error("there is no way to reach it");
  let transport: Transport | null = null;
  const guard = new FloodGuard(parts.clock, parts.limits, (fault) => cutOff(transport, fault));
  for (const make of transportsOf(server, parts, guard)) {
    transport = make();
    const client = clientOf(parts);
    try {
      const connection = await greet(server, client, transport, guard, parts.clock, signal);
      return { type: "connected", connection };
    } catch (caught) {
      // The first way is the usual one, and says best what is wrong.
      if (!mayBeOlder(error)) error = caught;
      await goodbye(client, transport, parts.clock);
      if (!mayBeOlder(caught) || signal.aborted) break;
    }
  }
  if (guard.fault !== null) {
    const reason = `${ended(`The MCP server "${server.name}" ${guard.fault}`)}${floodAdvice(server)}`;
    return { type: "failed", reason, final: true };
  }
  if (isUnauthorized(error)) return { type: "needs-auth", reason: signInSentence(server), final: true };
  const reason = failure(server, transport, error, signal, parts.limits.startMs);
  return { type: "failed", reason, final: false };
}

function cutOff(transport: Transport | null, fault: string): void {
  if (transport instanceof StdioTransport) transport.cutOff(fault);
  else void transport?.close();
}

function transportsOf(
  server: McpServer,
  parts: ConnectionParts,
  guard: FloodGuard,
): readonly (() => Transport)[] {
  const { messageBytes } = parts.limits;
  if (server.type === "stdio") return [() => new StdioTransport(server, { ...parts, messageBytes })];
  return httpTransports(server, { signIns: parts.signIns, messageBytes, guard });
}

async function greet(
  server: McpServer,
  client: Client,
  transport: Transport,
  guard: FloodGuard,
  clock: Clock,
  signal: AbortSignal,
): Promise<Connection> {
  const gone = Promise.withResolvers<Lost>();
  let leaving = false;
  let closing: Promise<void> | null = null;
  const leave = async () => {
    if (server.type === "http") await leaveSession(transport, clock);
    await goodbye(client, transport, clock);
  };
  client.onclose = () => {
    if (leaving) return;
    const fault = guard.fault ?? faultOf(transport) ?? "closed the connection";
    const final = guard.fault !== null;
    gone.resolve({ fault, details: final ? floodAdvice(server) : lastWords(transport), final });
  };
  // The client calls what is set here before its own handlers.
  transport.onmessage = (message) => guard.countMessage(message);
  client.onerror = (error) => guard.countError(error);
  await untilAborted(client.connect(transport, { signal, timeout: NO_TIMEOUT_MS }), signal);
  const tools = await untilAborted(listTools(client, signal), signal);
  return {
    client,
    tools,
    instructions: client.getInstructions(),
    lost: gone.promise,
    close() {
      leaving = true;
      closing ??= leave();
      return closing;
    },
  };
}

/** A request that is aborted ends at once; the start of a transport does not know the signal. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  work.catch(() => {});
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", stop));
}

async function leaveSession(transport: Transport, clock: Clock): Promise<void> {
  // Over SSE a session ends with its stream.
  if (transport instanceof StreamableHTTPClientTransport)
    await within(clock, GOODBYE_MS, transport.terminateSession());
}

async function goodbye(client: Client, transport: Transport, clock: Clock): Promise<void> {
  const closed = client.close().catch(() => {});
  // A child's group is ended for certain; other transports have nothing that could stay.
  if (transport instanceof StdioTransport) await transport.close();
  else await within(clock, GOODBYE_MS, closed);
}

/** What the transport itself knows of its end. */
function faultOf(transport: Transport | null): string | null {
  return transport instanceof StdioTransport ? transport.fault : null;
}

function failure(
  server: McpServer,
  transport: Transport | null,
  error: unknown,
  signal: AbortSignal,
  startMs: number,
): string {
  const name = `The MCP server "${server.name}" (${server.file})`;
  // A child that is ended because its time is up has a fault as well: that it was ended.
  const why = signal.aborted
    ? `did not answer within ${startMs / 1_000} s`
    : (faultOf(transport) ?? `could not be reached: ${reasonOf(error)}`);
  return `${ended(`${name} ${why}`)}${lastWords(transport)}`;
}

function floodAdvice({ slug, file }: McpServer): string {
  return ` /mcp restart ${slug} starts it again; if it does this again, remove it from ${file}.`;
}

function lastWords(transport: Transport | null): string {
  if (!(transport instanceof StdioTransport) || transport.complaints === "") return "";
  const lines = transport.complaints.split("\n").filter((line) => line.trim() !== "");
  // What went wrong stands above where it did, and that can be long.
  const telling = lines.filter((line) => !/^\s+at /.test(line));
  return ` It wrote last: ${ended((telling.length > 0 ? telling : lines).slice(-8).join("\n"))}`;
}

function signInSentence({ name, slug, file }: McpServer): string {
  return `The MCP server "${name}" (${file}) wants you to sign in: troupe mcp login ${slug}, or /mcp login ${slug} in a conversation; a header "Authorization" with a token in its entry will do as well.`;
}
