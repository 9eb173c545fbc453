import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, ErrorCode, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { abortable, type Clock, within } from "../../lib/clock.ts";
import type { ElicitationAnswer } from "../mcp.ts";
import type { McpLimits, McpServer } from "../server.ts";
import { FloodGuard } from "./flood-guard.ts";
import { boundedFetch, httpTransports, isUnauthorized, mayBeOlder } from "./http-transport.ts";
import { connectionProvider } from "./oauth-providers.ts";
import { startTimeout } from "./request-timeout.ts";
import { errorReason, toSentence } from "./server-text.ts";
import { SignInFile } from "./sign-in-file.ts";
import { ParamHeaders, statelessFetch } from "./stateless-fetch.ts";
import { StatelessTransport } from "./stateless-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { listTools, NO_TIMEOUT_MS, type ToolList } from "./tool-list.ts";

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

export interface Connection {
  readonly client: Client;
  readonly tools: ToolList;
  /** Resolves if the server ends the connection, or is cut off. */
  readonly lost: Promise<LostConnection>;
  close(): Promise<void>;
}

export interface LostConnection {
  /** Half a sentence that follows the server's name. */
  readonly fault: string;
  readonly details: string;
  /** True if only the user may start it again. */
  readonly isFinal: boolean;
}

export interface NoConnection {
  readonly type: "needs-auth" | "failed";
  readonly reason: string;
  readonly isFinal: boolean;
}

/** Starts or reaches the server and lists its tools. Never rejects, and ends within `startMs`. */
export async function connect(
  server: McpServer,
  parts: ConnectionParts,
  stop: AbortSignal,
): Promise<Connection | NoConnection> {
  const { startMs } = parts.limits;
  const timeout = startTimeout(parts.clock, { quietMs: startMs, longestMs: startMs }, stop);
  try {
    return await tryTransports(server, parts, timeout.signal);
  } finally {
    timeout.end();
  }
}

async function tryTransports(
  server: McpServer,
  parts: ConnectionParts,
  signal: AbortSignal,
): Promise<Connection | NoConnection> {
  let error: unknown = new Error("there is no transport for it");
  let transport: Transport | null = null;
  const guard = new FloodGuard(parts.clock, parts.limits, (fault) => {
    if (transport instanceof StdioTransport) transport.cutOff(fault);
    else void transport?.close();
  });
  const paramHeaders = new ParamHeaders();
  for (const createTransport of transportsFor(server, parts, guard, paramHeaders)) {
    transport = createTransport();
    const client = createClient(parts);
    try {
      return await openConnection(
        server,
        { ...{ client, transport, guard, paramHeaders }, clock: parts.clock },
        signal,
      );
    } catch (caught) {
      // The first transport is the usual one, and has the best error.
      if (!mayBeOlder(error)) error = caught;
      await closeClient(client, transport, parts.clock);
      if (!mayBeOlder(caught) || signal.aborted) break;
    }
  }
  const { name, slug, file } = server;
  if (guard.fault !== null) {
    const reason = `${toSentence(`The MCP server "${name}" ${guard.fault}`)}${floodAdvice(server)}`;
    return { type: "failed", reason, isFinal: true };
  }
  if (isUnauthorized(error)) {
    const reason = `The MCP server "${name}" (${file}) wants you to sign in: troupe mcp login ${slug}, or /mcp login ${slug} in a conversation. A header "Authorization" with a token in its entry works too.`;
    return { type: "needs-auth", reason, isFinal: true };
  }
  // A child that is ended because its time is up has a fault as well: that it was ended.
  const fault = signal.aborted
    ? `did not answer within ${parts.limits.startMs / 1_000} s`
    : (faultOf(transport) ?? `could not be reached: ${errorReason(error)}`);
  const reason = `${toSentence(`The MCP server "${name}" (${file}) ${fault}`)}${lastOutput(transport)}`;
  return { type: "failed", reason, isFinal: false };
}

function transportsFor(
  server: McpServer,
  parts: ConnectionParts,
  guard: FloodGuard,
  paramHeaders: ParamHeaders,
): readonly (() => Transport)[] {
  const { messageBytes } = parts.limits;
  if (server.type === "stdio") return [() => new StdioTransport(server, { ...parts, messageBytes })];
  const countResponse = guard.countResponse.bind(guard);
  const fetch = statelessFetch(boundedFetch({ ...server, messageBytes, countResponse }), paramHeaders);
  const file = new SignInFile(parts.signIns, server);
  // Without tokens a provider would register us with any server that asks; only `signIn` does that.
  const hasTokens = file.read().tokens !== undefined;
  const auth = hasTokens ? { authProvider: connectionProvider(server, file) } : {};
  return httpTransports(server, { fetch, ...auth });
}

interface OpenParts {
  readonly client: Client;
  readonly transport: Transport;
  readonly guard: FloodGuard;
  readonly paramHeaders: ParamHeaders;
  readonly clock: Clock;
}

async function openConnection(
  server: McpServer,
  { client, transport, guard, paramHeaders, clock }: OpenParts,
  signal: AbortSignal,
): Promise<Connection> {
  const lost = Promise.withResolvers<LostConnection>();
  let closing: Promise<void> | null = null;
  client.onclose = () => {
    if (closing !== null) return;
    const isFinal = guard.fault !== null;
    const fault = guard.fault ?? faultOf(transport) ?? "closed the connection";
    lost.resolve({ fault, details: isFinal ? floodAdvice(server) : lastOutput(transport), isFinal });
  };
  const either = new StatelessTransport(transport, paramHeaders);
  // The client calls what is set here before its own handlers.
  either.onmessage = (message) => guard.countMessage(message);
  client.onerror = (error) => guard.countError(error);
  // The signal ends a request, but not the start of a transport.
  await abortable(client.connect(either, { signal, timeout: NO_TIMEOUT_MS }), signal);
  const tools = await abortable(listTools(client, signal), signal);
  const close = async () => {
    // Over SSE a session ends with its stream.
    if (transport instanceof StreamableHTTPClientTransport)
      await within(clock, GOODBYE_MS, transport.terminateSession());
    await closeClient(client, transport, clock);
  };
  return {
    ...{ client, tools, lost: lost.promise },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function closeClient(client: Client, transport: Transport, clock: Clock): Promise<void> {
  const closed = client.close().catch(() => {});
  // The end of a child's group is certain; nothing remains of other transports.
  if (transport instanceof StdioTransport) await transport.close();
  else await within(clock, GOODBYE_MS, closed);
}

function faultOf(transport: Transport | null): string | null {
  return transport instanceof StdioTransport ? transport.fault : null;
}

function floodAdvice({ slug, file }: McpServer): string {
  return ` /mcp restart ${slug} starts it again; if it does this again, remove it from ${file}.`;
}

function lastOutput(transport: Transport | null): string {
  if (!(transport instanceof StdioTransport) || transport.lastOutput === "") return "";
  const lines = transport.lastOutput.split("\n").filter((line) => line.trim() !== "");
  // The error comes before its stack trace, which can be long.
  const telling = lines.filter((line) => !/^\s+at /.test(line));
  return ` Its last output: ${toSentence((telling.length > 0 ? telling : lines).slice(-8).join("\n"))}`;
}

export type Elicit = (
  message: string,
  schema: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<ElicitationAnswer | undefined>;

export interface ClientParts {
  readonly version: string;
  readonly roots: readonly string[];
  /** Null if no user can answer; servers then cannot ask. */
  readonly elicit: Elicit | null;
  onChanged(what: "tools" | "resources" | "prompts"): void;
}

const DEBOUNCE_MS = 200;

/** Creates our side of one connection, with what a server may ask of us. */
export function createClient({ version, roots, elicit, onChanged }: ClientParts): Client {
  const changes = (what: "tools" | "resources" | "prompts") => ({
    ...{ autoRefresh: false, debounceMs: DEBOUNCE_MS, onChanged: () => onChanged(what) },
  });
  const client = new Client(
    { name: "troupe", version },
    {
      capabilities: { roots: {}, ...(elicit === null ? {} : { elicitation: { form: {} } }) },
      listChanged: {
        tools: changes("tools"),
        resources: changes("resources"),
        prompts: changes("prompts"),
      },
    },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
  }));
  if (elicit !== null)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      if (!("requestedSchema" in params)) return { action: "decline" as const };
      const answer = await elicit(params.message, { ...params.requestedSchema }, signal);
      if (answer?.action !== "accept") return { action: answer?.action ?? "cancel" };
      return { action: "accept" as const, content: { ...answer.content } };
    });
  client.fallbackRequestHandler = async ({ method }) => {
    // A server that could ask a model would spend the user's money on its own prompts.
    const why =
      method === "sampling/createMessage"
        ? "Troupe does not let servers ask its model. Return the question as the result of the call."
        : `Troupe does not answer ${method}.`;
    // The SDK's own class would write the code into the message, twice.
    throw Object.assign(new Error(why), { code: ErrorCode.MethodNotFound });
  };
  return client;
}
