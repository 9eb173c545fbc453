import type { ChangedTool, McpAnswer, McpPrompt } from "../../mcp/mcp.ts";

/** A prompt of a server, as a person calls it. */
export interface ServerPrompt {
  /** `mcp__server__prompt`. */
  readonly name: string;
  /** As the person calls the server. */
  readonly server: string;
  readonly description?: string | undefined;
  readonly arguments: McpPrompt["arguments"];
}

/** As it is typed: `/mcp__server__prompt <needed> [optional]`. */
export function promptUsage({ name, arguments: declared }: ServerPrompt): string {
  const places = declared.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`));
  return [`/${name}`, ...places].join(" ");
}

/** What a person does with the MCP servers of a session, each by its name or as it stands in the names of its tools. */
export interface ServerService {
  /** The prompts that can be called as `/mcp__server__prompt`, as far as they are known; looked for from the first call on. */
  prompts(): readonly ServerPrompt[];
  /** `show` is given the address of the page where the person signs in, on this machine. */
  signIn(server: string, show: (url: string) => void, signal: AbortSignal): Promise<McpAnswer<null>>;
  /** Forgets a sign-in. False: there was none. */
  signOut(server: string, signal: AbortSignal): Promise<McpAnswer<boolean>>;
  /** Ends a server and starts it again. */
  restart(server: string, signal: AbortSignal): Promise<McpAnswer<null>>;
  changes(server: string): readonly ChangedTool[];
  /** The person has seen this: tools that are still so are called again. Their names. */
  accept(server: string, shown: readonly ChangedTool[]): readonly string[];
}

/** Of a session without any. */
const noServers: ServerService = {
  prompts: () => [],
  signIn: async (server) => missing(server),
  signOut: async (server) => missing(server),
  restart: async (server) => missing(server),
  changes: () => [],
  accept: () => [],
};

/** The same for servers that are there a moment later. */
export function lateDesk(
  desk: () => ServerService | undefined,
  opened: () => Promise<ServerService | undefined>,
): ServerService {
  const there = async () => (await opened().catch(() => undefined)) ?? noServers;
  return {
    prompts() {
      const now = desk();
      // They are looked for as soon as there is somebody to ask.
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
