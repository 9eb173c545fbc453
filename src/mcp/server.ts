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
