import * as z from "zod/mini";

/** What every server's entry comes to, whatever the file it stood in. */
const common = {
  /** As people write it. */
  name: z.string(),
  /** As it stands in the names of its tools and in rules: `mcp__<slug>__<tool>`. */
  slug: z.string(),
  /** The file that names it, for sentences. */
  file: z.string(),
  /** Milliseconds one call may take without a sign of life; absent: `McpLimits.callMs`. */
  callMs: z.optional(z.number()),
};

/** A child process that speaks over its standard input and output. */
export const StdioServer = z.object({
  ...common,
  type: z.literal("stdio"),
  command: z.string(),
  args: z.array(z.string()),
  /** What it gets besides the harmless few (`serverEnvironment`). */
  env: z.record(z.string(), z.string()),
});
export type StdioServer = z.infer<typeof StdioServer>;

/** Streamable HTTP, which falls back to SSE where the server only knows that; or SSE at once. */
export const HttpServer = z.object({
  ...common,
  type: z.enum(["http", "sse"]),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** For servers that know no registration by programs, or only one address to come back to. */
  oauth: z.optional(z.object({ clientId: z.optional(z.string()), callbackPort: z.optional(z.number()) })),
});
export type HttpServer = z.infer<typeof HttpServer>;

/** One server as people write it, by its name, under `mcpServers`; the checks are in `parse-servers.ts`. */
export interface McpServerEntry {
  /** Default: `stdio` where there is a command, else `http`. */
  readonly type?: "stdio" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds of one call. */
  readonly timeout?: number;
  readonly [other: string]: unknown;
}

/** One MCP server, with all variables filled in (A17.1). Plain data: it goes to the broker's process. */
export const McpServer = z.discriminatedUnion("type", [StdioServer, HttpServer]);
export type McpServer = z.infer<typeof McpServer>;

/** Whether two entries come to the same server, whatever file they stand in. */
export function isSameServer(one: McpServer, other: McpServer): boolean {
  const of = ({ name: _, file: __, ...what }: McpServer) => JSON.stringify(what);
  return of(one) === of(other);
}
