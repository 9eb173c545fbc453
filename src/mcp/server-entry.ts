import type { ChangedTool, McpTool, ServerState, ServerStatus, ServerTool } from "./mcp.ts";
import { mcpToolName } from "./names.ts";
import type { McpServer } from "./server.ts";

interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

interface Known {
  /** As the user knows it. */
  accepted: McpTool;
  /** As the server describes it now, if that is different. */
  pending: McpTool | null;
  isOffered: boolean;
}

/**
 * The tools of one server, and which of them have changed since the session first saw them. A model reads a description
 * as an instruction, so a changed tool is refused until the user accepts it; also one that was removed and offered again, and
 * one of a server that was started again (threat: a tool is changed after approval).
 */
export class KnownTools {
  readonly #slug: string;
  readonly #known = new Map<string, Known>();

  constructor(slug: string) {
    this.#slug = slug;
  }

  /** Takes the list that the server offers now. `changed`: those with a description that was not known before. */
  update(tools: readonly ServerTool[]): ToolChanges {
    const now = new Map(tools.map((tool) => [mcpToolName(this.#slug, tool.tool), tool]));
    const removed = [...this.#known].filter(([name, { isOffered }]) => isOffered && !now.has(name));
    for (const [, known] of removed) known.isOffered = false;
    const added: string[] = [];
    const changed: string[] = [];
    for (const [name, tool] of now) {
      const offer: McpTool = { ...tool, name, slug: this.#slug };
      const known = this.#known.get(name);
      if (known === undefined) this.#known.set(name, { accepted: offer, pending: null, isOffered: true });
      if (known === undefined || !known.isOffered) added.push(name);
      if (known === undefined) continue;
      const isNew = known.pending?.digest !== offer.digest;
      known.isOffered = true;
      known.pending = known.accepted.digest === offer.digest ? null : offer;
      if (known.pending !== null && isNew) changed.push(name);
    }
    return { added, removed: removed.map(([name]) => name), changed };
  }

  /** By name; each as it was accepted. */
  offered(): readonly McpTool[] {
    return [...this.#known.values()]
      .filter(({ isOffered }) => isOffered)
      .map(({ accepted }) => accepted)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  changes(): readonly ChangedTool[] {
    return [...this.#known.values()].flatMap(({ isOffered, accepted, pending }) =>
      isOffered && pending !== null ? [{ accepted, now: pending }] : [],
    );
  }

  find(
    name: string,
  ): { readonly tool: McpTool; readonly isChanged: boolean; readonly isOffered: boolean } | null {
    const known = this.#known.get(name);
    if (known === undefined) return null;
    return { tool: known.accepted, isChanged: known.pending !== null, isOffered: known.isOffered };
  }

  /** Accepts what the user was shown, and returns the names. A tool that changed again since then is not accepted. */
  accept(shown: readonly ChangedTool[]): readonly string[] {
    return shown.flatMap(({ now }) => {
      const known = this.#known.get(now.name);
      if (known?.pending?.digest !== now.digest || !known.isOffered) return [];
      known.accepted = known.pending;
      known.pending = null;
      return [now.name];
    });
  }
}

export class ServerEntry {
  readonly server: McpServer;
  readonly tools: KnownTools;
  /** How many need it: the session, and agents with servers of their own. */
  holders = 0;
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
