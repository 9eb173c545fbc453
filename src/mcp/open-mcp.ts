import type { CallResult } from "../mailbox/messages.ts";
import type {
  Among,
  ChangedTool,
  McpAnswer,
  McpCall,
  McpEvent,
  McpPrompt,
  McpResource,
  PromptMessage,
  SignedOut,
} from "./mcp.ts";

import type { McpServer } from "./server.ts";
import type { ServerEntry } from "./server-entry.ts";
import { type McpServersParts, SessionServers } from "./session-servers.ts";

export interface OpenMcpOptions extends McpServersParts {
  /** Those of the session; agents can add more (`Mcp.hold`). The caller knows that they are trusted. */
  readonly servers: readonly McpServer[];
  /** Returns a new file for a long result, which does not exist yet. May throw. */
  readonly outputs: { next(): { readonly path: string } };
}

interface PromptCall {
  readonly server: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

export type Mcp = ReturnType<typeof openMcp>;

/**
 * Opens the MCP servers of a session: one connection to each, shared by all agents (C9). Starts no process before the
 * first server. What is returned rejects only if a signal is aborted; any other failure is an answer.
 */
export function openMcp(options: OpenMcpOptions) {
  const listeners = new Set<(event: McpEvent) => void>();
  const emit = (event: McpEvent) => {
    for (const listener of listeners) listener(event);
  };
  const servers = new SessionServers(options, emit);
  servers.hold(options.servers);

  function listServers(among = everyServer): string {
    const states = servers.entries
      .filter(({ server }) => among(server.slug))
      .map(({ server, state }) => `${server.slug} (${state.type})`);
    return states.length === 0 ? "No MCP server is configured." : `There are: ${states.join(", ")}.`;
  }

  function findServer(name: string, among = everyServer): McpAnswer<ServerEntry> {
    const entry = servers.find(name);
    if (entry !== null && among(entry.server.slug)) return { ok: true, value: entry };
    const message = `There is no MCP server ${JSON.stringify(name)}. ${listServers(among)}`;
    return { ok: false, message };
  }

  async function withServer<Value>(
    name: string,
    use: (entry: ServerEntry) => Promise<McpAnswer<Value>>,
    among?: Among,
  ): Promise<McpAnswer<Value>> {
    const found = findServer(name, among);
    return found.ok ? use(found.value) : found;
  }

  const findTool = (name: string) => servers.entries.find(({ tools }) => tools.find(name) !== null);

  /** A server that is starting may have the tool, as in a resumed session. */
  async function awaitTool(name: string, signal: AbortSignal): Promise<ServerEntry | undefined> {
    const starting = servers.entries.find(
      ({ server, state }) => state.type === "starting" && name.startsWith(`mcp__${server.slug}__`),
    );
    if (starting === undefined) return undefined;
    await servers.waitFor(starting, signal);
    return findTool(name);
  }

  return {
    /** Resolves when every server has started or failed, or after `ms`. */
    ready: (ms: number) => servers.settled(servers.entries, ms),
    servers: () => servers.entries.map((entry) => entry.status()),
    /** In the order of servers, then of names, so that requests share a prefix. */
    tools: () => servers.entries.flatMap(({ tools }) => tools.offered()),
    /** Ends after `McpLimits.longestCallMs` at the latest. */
    async call({ name, input, call }: McpCall, signal: AbortSignal): Promise<CallResult> {
      const entry = findTool(name) ?? (await awaitTool(name, signal));
      signal.throwIfAborted();
      const known = entry?.tools.find(name);
      if (!entry || !known) return errorResult(`There is no MCP tool ${name}. ${listServers()}`);
      if (typeof (input ?? {}) !== "object" || Array.isArray(input))
        return errorResult(`Invalid input for ${name}: expected an object.`);
      const { slug } = entry.server;
      const { tool } = known.tool;
      const body = { slug, tool, input: { ...(input ?? {}) }, output: newOutput(options) };
      const answer = await servers.request(entry, "callTool", body, {
        signal,
        onEvent: (progress) =>
          emit({ type: "progress", server: slug, tool: name, call: call ?? null, ...progress }),
        refusal: () => refuseCall(entry, name),
      });
      return toResult(answer, signal);
    },
    /** Of one server, or of all that are connected. */
    async listResources(
      name: string | undefined,
      signal: AbortSignal,
      among: Among = everyServer,
    ): Promise<McpAnswer<readonly McpResource[]>> {
      const one = name === undefined ? null : findServer(name, among);
      if (one?.ok === false) return one;
      const connected = servers.entries.filter(
        ({ state, server }) => state.type === "connected" && among(server.slug),
      );
      const entries = one === null ? connected : [one.value];
      if (entries.length === 0)
        return { ok: false, message: `No MCP server is connected. ${listServers(among)}` };
      const lists = await Promise.all(
        entries.map(async (entry): Promise<McpAnswer<readonly McpResource[]>> => {
          const { slug } = entry.server;
          const answer = await servers.request(entry, "listResources", { slug }, { signal });
          if (!answer.ok) return answer;
          return { ok: true, value: answer.value.map((resource) => ({ server: slug, ...resource })) };
        }),
      );
      signal.throwIfAborted();
      const good = lists.filter((list) => list.ok);
      const failed = lists.find((list) => !list.ok);
      return good.length === 0 && failed ? failed : { ok: true, value: good.flatMap(({ value }) => value) };
    },
    async readResource(server: string, uri: string, signal: AbortSignal, among?: Among): Promise<CallResult> {
      const read = (entry: ServerEntry) => {
        const body = { slug: entry.server.slug, uri, output: newOutput(options) };
        return servers.request(entry, "readResource", body, { signal });
      };
      return toResult(await withServer(server, read, among), signal);
    },
    listPrompts: (server: string, signal: AbortSignal): Promise<McpAnswer<readonly McpPrompt[]>> =>
      withServer(server, async (entry) => {
        const { slug } = entry.server;
        const answer = await servers.request(entry, "listPrompts", { slug }, { signal });
        if (!answer.ok) return answer;
        return { ok: true, value: answer.value.map((prompt) => ({ server: slug, ...prompt })) };
      }),
    getPrompt: (
      { server, ...prompt }: PromptCall,
      signal: AbortSignal,
    ): Promise<McpAnswer<readonly PromptMessage[]>> =>
      withServer(server, (entry) => {
        const body = { slug: entry.server.slug, ...prompt };
        return servers.request(entry, "getPrompt", body, { signal });
      }),
    changes: (server: string) => servers.find(server)?.tools.changes() ?? [],
    /** Accepts changes that the user has seen, and returns the names. A tool that changed again since then stays refused. */
    acceptChanges: (server: string, shown: readonly ChangedTool[]) =>
      servers.find(server)?.tools.accept(shown) ?? [],
    /** Signs in and connects. `show` gets the address of the sign-in page, to be opened on this machine. */
    signIn: (server: string, show: (url: string) => void, signal: AbortSignal): Promise<McpAnswer<null>> =>
      withServer(server, (entry) => servers.signIn(entry, show, signal)),
    signOut: (server: string, signal: AbortSignal): Promise<McpAnswer<SignedOut>> =>
      withServer(server, (entry) => servers.signOut(entry, signal)),
    /** Ends a server and starts it again; resolves when it has started or failed. */
    restart: (server: string, signal: AbortSignal): Promise<McpAnswer<null>> =>
      withServer(server, async (entry) => {
        await servers.restart(entry, signal);
        const message = entry.refusal();
        return message === null ? { ok: true, value: null } : { ok: false, message };
      }),
    /** Keeps servers running until they are released; one whose slug another server has is not held. */
    hold(more: readonly McpServer[]) {
      const { held, problems } = servers.hold(more);
      let isReleased = false;
      return {
        slugs: held.map(({ server }) => server.slug),
        problems,
        /** Resolves when these servers have started or failed, or after `ms`. */
        ready: (ms: number) => servers.settled(held, ms),
        release() {
          if (!isReleased) for (const entry of held) servers.release(entry);
          isReleased = true;
        },
      };
    },
    onEvent(listener: (event: McpEvent) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Ends every server with all it started, then the broker. Idempotent. */
    close: () => servers.close(),
  };
}

function refuseCall({ server, tools }: ServerEntry, name: string): string | null {
  const known = tools.find(name);
  if (!known?.isOffered) return `The MCP server "${server.name}" no longer offers ${name}.`;
  if (!known.isChanged) return null;
  return `The MCP server "${server.name}" has changed what ${name} is since the session first saw it, so it is not called until the user has accepted that. Continue without it, or report that it is needed.`;
}

const everyServer: Among = () => true;

/** Null if there is no file; a long result then says that the whole is not kept. */
function newOutput({ outputs }: OpenMcpOptions): string | null {
  try {
    return outputs.next().path;
  } catch {
    return null;
  }
}

/** An aborted call rejects with the signal's reason, as for every tool. */
function toResult(answer: McpAnswer<CallResult>, signal: AbortSignal): CallResult {
  signal.throwIfAborted();
  return answer.ok ? answer.value : errorResult(answer.message);
}

function errorResult(message: string): CallResult {
  return { content: message, isError: true };
}
