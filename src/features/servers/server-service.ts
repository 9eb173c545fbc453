import type { ChangedTool, McpAnswer, McpPrompt } from "../../mcp/mcp.ts";

/** A prompt of a server, as a user calls it. */
export interface ServerPrompt {
  /** `mcp__server__prompt`. */
  readonly name: string;
  /** The server's name as in settings. */
  readonly server: string;
  readonly description?: string | undefined;
  readonly arguments: McpPrompt["arguments"];
}

/** Formats `/mcp__server__prompt <needed> [optional]`. */
export function promptUsage({ name, arguments: declared }: ServerPrompt): string {
  const places = declared.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`));
  return [`/${name}`, ...places].join(" ");
}

/** A user's actions on the MCP servers of a session, each by its name or its slug. */
export interface ServerService {
  /** Returns the known prompts, callable as `/mcp__server__prompt`; the first call starts the search. */
  prompts(): readonly ServerPrompt[];
  /** `show` receives the address of the sign-in page, for a browser on this machine. */
  signIn(server: string, show: (url: string) => void, signal: AbortSignal): Promise<McpAnswer<null>>;
  /** Forgets a sign-in. Resolves with false if there was none. */
  signOut(server: string, signal: AbortSignal): Promise<McpAnswer<boolean>>;
  /** Stops a server and starts it again. */
  restart(server: string, signal: AbortSignal): Promise<McpAnswer<null>>;
  changes(server: string): readonly ChangedTool[];
  /** Accepts what the user has seen: tools that are unchanged since can be called again. Returns their names. */
  accept(server: string, shown: readonly ChangedTool[]): readonly string[];
}

/** For a session without servers. */
const noServers: ServerService = {
  prompts: () => [],
  signIn: async (server) => missing(server),
  signOut: async (server) => missing(server),
  restart: async (server) => missing(server),
  changes: () => [],
  accept: () => [],
};

/** Returns the same for servers that are loaded later. */
export function lateDesk(
  desk: () => ServerService | undefined,
  opened: () => Promise<ServerService | undefined>,
): ServerService {
  const there = async () => (await opened().catch(() => undefined)) ?? noServers;
  return {
    prompts() {
      const now = desk();
      // The search starts as soon as it is possible.
      if (now === undefined) void there().then((later) => later.prompts());
      return now?.prompts() ?? [];
    },
    signIn: async (...given) => (await there()).signIn(...given),
    signOut: async (...given) => (await there()).signOut(...given),
    restart: async (...given) => (await there()).restart(...given),
    changes: (server) => (desk() ?? noServers).changes(server),
    accept: (...given) => (desk() ?? noServers).accept(...given),
  };
}

function missing(server: string): { readonly ok: false; readonly message: string } {
  return {
    ok: false,
    message: `There is no MCP server ${JSON.stringify(server)}, nor any other; troupe mcp add adds one.`,
  };
}
