import { KnownTools } from "./known-tools.ts";
import type { ServerState, ServerStatus } from "./mcp.ts";
import type { McpServer } from "./server.ts";

/** One server, as the session knows it. */
export class ServerEntry {
  readonly server: McpServer;
  readonly tools: KnownTools;
  /** How many need it: the session, and agents with servers of their own. */
  holders = 0;
  /** Which of its lives this is: one that nobody held any more may be needed again. */
  life = 0;
  /** The person knows that it could not be started. */
  told = false;
  instructions: string | undefined;
  #state: ServerState = { type: "starting" };
  readonly #waiting = new Set<() => void>();

  constructor(server: McpServer) {
    this.server = server;
    this.tools = new KnownTools(server.slug);
  }

  get state(): ServerState {
    return this.#state;
  }

  set state(state: ServerState) {
    this.#state = state;
    if (state.type === "starting") return;
    for (const tell of this.#waiting) tell();
    this.#waiting.clear();
  }

  /** Resolves when it is no longer starting. */
  settled(): Promise<void> {
    if (this.#state.type !== "starting") return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  status(): ServerStatus {
    const { name, slug, file } = this.server;
    const changed = this.tools.changed();
    return {
      ...{ name, slug, file, state: this.#state, changed },
      tools: this.tools.offered().length - changed.length,
      instructions: this.instructions,
    };
  }

  /** Why nothing can be asked of it; null where something can. */
  whyNot(): string | null {
    const { name } = this.server;
    switch (this.#state.type) {
      case "connected":
        return null;
      case "starting":
        return `The MCP server "${name}" is still being started. Try again in a moment, or go on without it.`;
      case "needs-auth":
        return `The MCP server "${name}" waits for the person to sign in (/mcp login ${this.server.slug}). Go on without it.`;
      case "failed":
        return this.#state.reason;
      case "stopped":
        return `The MCP server "${name}" has been stopped.`;
      default:
        return this.#state satisfies never;
    }
  }
}
