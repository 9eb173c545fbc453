interface CommonServer {
  readonly name: string;
  /** As it appears in the names of its tools and in rules: `mcp__<slug>__<tool>`. */
  readonly slug: string;
  readonly file: string;
  /** Milliseconds one call may take without progress; absent: `McpLimits.callMs`. */
  readonly callMs?: number | undefined;
}

/** A child process that speaks MCP over its standard input and output. */
export interface StdioServer extends CommonServer {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the variables of `serverEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
}

/** `http`: streamable HTTP, with SSE as the fallback. */
export interface HttpServer extends CommonServer {
  readonly type: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For servers without dynamic registration, or with one fixed redirect address. */
  readonly oauth?:
    | { readonly clientId?: string | undefined; readonly callbackPort?: number | undefined }
    | undefined;
}

/** One MCP server, with all variables filled in (A17.1). Plain data: it goes to the broker's process. */
export type McpServer = StdioServer | HttpServer;

/** One server as written in a file, by its name, under `mcpServers`; checked in `parse-servers.ts`. */
export interface McpServerEntry {
  /** Default: `stdio` with a command, else `http`. */
  readonly type?: "stdio" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly [other: string]: unknown;
}

/** True if two entries start the same server, in whichever files they are. */
export function isSameServer(one: McpServer, other: McpServer): boolean {
  const of = ({ name: _, file: __, ...what }: McpServer) => JSON.stringify(what);
  return of(one) === of(other);
}

/** Bounds on the time and the memory that a server may use. */
export interface McpLimits {
  /** Milliseconds until a server must have answered for the first time. */
  readonly startMs: number;
  /** Milliseconds without a result and without progress after which a call is given up. */
  readonly callMs: number;
  /** Milliseconds after which a call is given up in any case. */
  readonly longestCallMs: number;
  /** Characters of a result that a model gets; the whole is in a file. */
  readonly resultChars: number;
  /** Of one message; a server that sends more is ended. */
  readonly messageBytes: number;
  /** Of all messages within a minute that reply to no request; a server that sends more is ended. */
  readonly unaskedBytes: number;
  readonly reconnects: number;
  /** Milliseconds before the first retry; each further one waits twice as long, at most `longestReconnectMs`. */
  readonly reconnectMs: number;
  readonly longestReconnectMs: number;
  readonly signInMs: number;
}

/** 25,000 tokens (our figure of the threat table). */
const TOKENS = 25_000;
const CHARS_PER_TOKEN = 4;

export const defaultMcpLimits: McpLimits = {
  startMs: 30_000,
  callMs: 300_000,
  longestCallMs: 3_600_000,
  resultChars: TOKENS * CHARS_PER_TOKEN,
  messageBytes: 16 * 1024 * 1024,
  unaskedBytes: 16 * 1024 * 1024,
  reconnects: 5,
  reconnectMs: 1_000,
  longestReconnectMs: 30_000,
  signInMs: 600_000,
};

/** Reads the limits of the environment: MCP_TIMEOUT and MCP_TOOL_TIMEOUT (milliseconds), MAX_MCP_OUTPUT_TOKENS. */
export function limitsFromEnvironment(env: Readonly<Record<string, string | undefined>>): Partial<McpLimits> {
  const start = readPositive(env["MCP_TIMEOUT"]);
  const call = readPositive(env["MCP_TOOL_TIMEOUT"]);
  const tokens = readPositive(env["MAX_MCP_OUTPUT_TOKENS"]);
  return {
    ...(start === null ? {} : { startMs: start }),
    ...(call === null ? {} : { callMs: call, longestCallMs: Math.max(call, defaultMcpLimits.longestCallMs) }),
    ...(tokens === null ? {} : { resultChars: tokens * CHARS_PER_TOKEN }),
  };
}

function readPositive(text: string | undefined): number | null {
  const number = Number(text?.trim() || Number.NaN);
  return Number.isFinite(number) && number > 0 ? number : null;
}
