import type { CallResult } from "../mailbox/messages.ts";
import { defaultMcpLimits, type McpLimits } from "./limits.ts";
import type {
  Among,
  Answered,
  Mcp,
  McpCall,
  McpEvent,
  McpPrompt,
  McpResource,
  PromptMessage,
} from "./mcp.ts";
import type { McpRequest, Outcome, Progress } from "./protocol.ts";
import type { McpServer } from "./server.ts";
import type { ServerEntry } from "./server-entry.ts";
import { type ServersParts, SessionServers } from "./session-servers.ts";

export interface McpOptions extends ServersParts {
  /** Those of the session; agents can bring more (`Mcp.hold`). Whether they are trusted is for the caller to know. */
  readonly servers: readonly McpServer[];
  /** Where long results go: a new file each, which does not exist yet. May throw. */
  readonly outputs: { next(): { readonly path: string } };
  readonly limits?: Partial<McpLimits> | undefined;
}

/** Opens the MCP servers of a session. Where there is none, nothing is started until somebody holds one. */
export function openMcp(options: McpOptions): Mcp {
  const listeners = new Set<(event: McpEvent) => void>();
  const emit = (event: McpEvent) => {
    for (const listener of listeners) listener(event);
  };
  const servers = new SessionServers(options, { ...defaultMcpLimits, ...options.limits }, emit);
  const asked = new Requests(servers, options, emit);
  servers.hold(options.servers);
  return {
    ready: (ms) => servers.settled(servers.entries, ms),
    servers: () => servers.entries.map((entry) => entry.status()),
    tools: () => servers.entries.flatMap(({ tools }) => tools.offered()),
    call: (call, signal) => asked.call(call, signal),
    listResources: (server, signal, among) => asked.listResources(server, signal, among),
    readResource: (server, uri, signal, among) => asked.readResource(server, uri, signal, among),
    listPrompts: (server, signal) => asked.listPrompts(server, signal),
    getPrompt: (prompt, signal) => asked.getPrompt(prompt, signal),
    changes: (server) => servers.named(server)?.tools.changes() ?? [],
    acceptChanges: (server, shown) => servers.named(server)?.tools.accept(shown) ?? [],
    signIn: (server, show, signal) => asked.signIn(server, show, signal),
    signOut: (server, signal) => asked.signOut(server, signal),
    restart: (server, signal) => asked.restart(server, signal),
    hold(more) {
      const held = servers.hold(more);
      let released = false;
      return {
        slugs: held.map(({ server }) => server.slug),
        ready: (ms) => servers.settled(held, ms),
        release() {
          if (!released) for (const entry of held) servers.release(entry);
          released = true;
        },
      };
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => servers.close(),
  };
}

/** A tool's server, and its own name there. */
interface Found {
  readonly entry: ServerEntry;
  readonly tool: string;
}

/** What can be asked of a session's servers. */
class Requests {
  readonly #servers: SessionServers;
  readonly #options: McpOptions;
  readonly #emit: (event: McpEvent) => void;

  constructor(servers: SessionServers, options: McpOptions, emit: (event: McpEvent) => void) {
    this.#servers = servers;
    this.#options = options;
    this.#emit = emit;
  }

  async call({ name, input, call }: McpCall, signal: AbortSignal): Promise<CallResult> {
    const found = this.#find(name) ?? (await this.#findLater(name, signal));
    signal.throwIfAborted();
    if (found === null) return wrong(`There is no MCP tool ${name}. ${this.#known()}`);
    const { entry, tool } = found;
    const args = asArguments(input);
    if (args === null) return wrong(`Invalid input for ${name}: an object is expected.`);
    const onProgress = ({ progress, total, message }: Progress) =>
      this.#emit({
        ...{ type: "progress", server: entry.server.slug, tool: name, call: call ?? null },
        ...{ progress, total, message },
      });
    const wish: McpRequest = { type: "call", tool, input: args, output: this.#output() };
    const refused = () => refusal(entry, name);
    return resultOf(await this.#servers.ask(entry, wish, signal, { onProgress, refused }), signal);
  }

  async listResources(
    server: string | undefined,
    signal: AbortSignal,
    among: Among = everyServer,
  ): Promise<Answered<readonly McpResource[]>> {
    const one = server === undefined ? null : this.#named(server, among);
    if (server !== undefined && one === null) return bad(this.#noServer(server, among));
    const entries = one === null ? this.#connected(among) : [one];
    if (entries.length === 0) return bad(`No MCP server is connected. ${this.#known(among)}`);
    const lists = await Promise.all(
      entries.map(async (entry): Promise<Answered<readonly McpResource[]>> => {
        const outcome = await this.#servers.ask(entry, { type: "list-resources" }, signal);
        if (outcome.type !== "resources") return bad(messageOf(outcome));
        return { ok: true, value: outcome.resources.map((said) => ({ server: entry.server.slug, ...said })) };
      }),
    );
    signal.throwIfAborted();
    const good = lists.filter((list) => list.ok);
    const [failed] = lists.filter((list) => !list.ok);
    return good.length === 0 && failed ? failed : { ok: true, value: good.flatMap(({ value }) => value) };
  }

  async readResource(
    server: string,
    uri: string,
    signal: AbortSignal,
    among: Among = everyServer,
  ): Promise<CallResult> {
    const entry = this.#named(server, among);
    if (entry === null) return wrong(this.#noServer(server, among));
    const wish: McpRequest = { type: "read-resource", uri, output: this.#output() };
    return resultOf(await this.#servers.ask(entry, wish, signal), signal);
  }

  async listPrompts(server: string, signal: AbortSignal): Promise<Answered<readonly McpPrompt[]>> {
    const entry = this.#servers.named(server);
    if (entry === null) return bad(this.#noServer(server));
    const outcome = await this.#servers.ask(entry, { type: "list-prompts" }, signal);
    if (outcome.type !== "prompts") return bad(messageOf(outcome));
    return { ok: true, value: outcome.prompts.map((prompt) => ({ server: entry.server.slug, ...prompt })) };
  }

  async getPrompt(
    { server, name, arguments: given }: Parameters<Mcp["getPrompt"]>[0],
    signal: AbortSignal,
  ): Promise<Answered<readonly PromptMessage[]>> {
    const entry = this.#servers.named(server);
    if (entry === null) return bad(this.#noServer(server));
    const wish: McpRequest = { type: "get-prompt", name, arguments: { ...given } };
    const outcome = await this.#servers.ask(entry, wish, signal);
    return outcome.type === "prompt" ? { ok: true, value: outcome.messages } : bad(messageOf(outcome));
  }

  async signIn(server: string, show: (url: string) => void, signal: AbortSignal): Promise<Answered<null>> {
    const entry = this.#servers.named(server);
    if (entry === null) return bad(this.#noServer(server));
    const outcome = await this.#servers.signIn(entry, show, signal);
    return outcome.type === "signed-in" ? { ok: true, value: null } : bad(messageOf(outcome));
  }

  async signOut(server: string, signal: AbortSignal): Promise<Answered<boolean>> {
    const entry = this.#servers.named(server);
    if (entry === null) return bad(this.#noServer(server));
    const outcome = await this.#servers.signOut(entry, signal);
    return outcome.type === "signed-out" ? { ok: true, value: outcome.was } : bad(messageOf(outcome));
  }

  async restart(server: string, signal: AbortSignal): Promise<Answered<null>> {
    const entry = this.#servers.named(server);
    if (entry === null) return bad(this.#noServer(server));
    this.#servers.restart(entry);
    await this.#servers.waitFor(entry, signal);
    const why = entry.whyNot();
    return why === null ? { ok: true, value: null } : bad(why);
  }

  #connected(among: Among): readonly ServerEntry[] {
    return this.#servers.entries.filter(
      ({ state, server }) => state.type === "connected" && among(server.slug),
    );
  }

  #named(server: string, among: Among): ServerEntry | null {
    const entry = this.#servers.named(server);
    return entry !== null && among(entry.server.slug) ? entry : null;
  }

  #find(name: string): Found | null {
    for (const entry of this.#servers.entries) {
      const known = entry.tools.find(name);
      if (known !== null) return { entry, tool: known.tool.tool };
    }
    return null;
  }

  /** A server that is just starting may have it, as in a session that goes on. */
  async #findLater(name: string, signal: AbortSignal): Promise<Found | null> {
    const entry = this.#servers.entries.find(({ server }) => name.startsWith(`mcp__${server.slug}__`));
    if (entry?.state.type !== "starting") return null;
    await this.#servers.waitFor(entry, signal);
    return this.#find(name);
  }

  #output(): string | null {
    try {
      return this.#options.outputs.next().path;
    } catch {
      // A long result then says that its whole is not kept.
      return null;
    }
  }

  #noServer(server: string, among: Among = everyServer): string {
    return `There is no MCP server ${JSON.stringify(server)}. ${this.#known(among)}`;
  }

  #known(among: Among = everyServer): string {
    const there = this.#servers.entries.filter(({ server }) => among(server.slug));
    const states = there.map(({ server, state }) => `${server.slug} (${state.type})`);
    return states.length === 0 ? "No MCP server is configured." : `There are: ${states.join(", ")}.`;
  }
}

const everyServer: Among = () => true;

/** Why a call of this tool is not made; null where it is. */
function refusal({ server, tools }: ServerEntry, name: string): string | null {
  const known = tools.find(name);
  if (!known?.isOffered) return `The MCP server "${server.name}" does not offer ${name} any more.`;
  if (!known.isChanged) return null;
  return `The MCP server "${server.name}" has changed what ${name} is since the session first saw it, so it is not called until the person has accepted that. Go on without it, or report that it is needed.`;
}

function wrong(message: string): CallResult {
  return { content: message, isError: true };
}

function bad(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

/** An aborted call rejects with its reason, as every tool's does. */
function resultOf(outcome: Outcome, signal: AbortSignal): CallResult {
  signal.throwIfAborted();
  return outcome.type === "result" ? outcome.result : wrong(messageOf(outcome));
}

function messageOf(outcome: Outcome): string {
  if (outcome.type === "failed") return outcome.message;
  return `The MCP broker answered something else (${outcome.type}).`;
}

function asArguments(input: unknown): Record<string, unknown> | null {
  if (input === undefined || input === null) return {};
  return typeof input === "object" && !Array.isArray(input) ? { ...input } : null;
}
