import { KnownTools } from "./known-tools.ts";
import type { ServerState, ServerStatus } from "./mcp.ts";
import type { McpServer } from "./server.ts";

/** One server, as the session knows it. */
export class ServerEntry {
  readonly server: McpServer;
  readonly tools: KnownTools;
  /** How many need it: the session, and agents with servers of their own. */
  holders = 0;
  /** Counts its starts. */
  life = 0;
  /** The user knows that it could not be started. */
  isReported = false;
  instructions: string | undefined;
  #state: ServerState = { type: "stopped" };
  /** Resolved while it is not starting. */
  #settled = Promise.withResolvers<void>();

  constructor(server: McpServer) {
    this.server = server;
    this.tools = new KnownTools(server.slug);
    this.#settled.resolve();
  }

  get state(): ServerState {
    return this.#state;
  }

  set state(state: ServerState) {
    if (state.type !== "starting") this.#settled.resolve();
    else if (this.#state.type !== "starting") this.#settled = Promise.withResolvers();
    this.#state = state;
  }

  /** Resolves when it is not starting. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  status(): ServerStatus {
    const { name, slug, file } = this.server;
    const changed = this.tools.changes().map(({ accepted }) => accepted.name);
    return {
      ...{ name, slug, file, state: this.#state, changed },
      tools: this.tools.offered().length - changed.length,
      instructions: this.instructions,
    };
  }

  /** Returns why it cannot be used, or null if it can. */
  refusal(): string | null {
    const { name, slug } = this.server;
    switch (this.#state.type) {
      case "connected":
        return null;
      case "starting":
        return `The MCP server "${name}" is still starting. Try again in a moment, or continue without it.`;
      case "needs-auth":
        return `The MCP server "${name}" needs the user to sign in (/mcp login ${slug}). Continue without it.`;
      case "failed":
        return this.#state.reason;
      case "stopped":
        return `The MCP server "${name}" has been stopped.`;
      default:
        return this.#state satisfies never;
    }
  }
}
