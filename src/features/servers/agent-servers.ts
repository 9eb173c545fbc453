import type { AgentDefinition } from "../../context/agents/definition.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { ServerStatus } from "../../mcp/mcp.ts";
import type { Mcp } from "../../mcp/open-mcp.ts";
import { type ParsedServers, parseMcpServers } from "../../mcp/parse-servers.ts";
import { isSameServer, type McpServer } from "../../mcp/server.ts";
import type { ServersParts } from "./named-servers.ts";

export interface AgentServersParts extends Pick<ServersParts, "kinds" | "isOff" | "startMs" | "onWarning"> {
  readonly mcp: Pick<Mcp, "hold" | "servers">;
  /** Of the session. */
  readonly servers: readonly McpServer[];
  /** For `${VAR}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  onChange(): void;
  onSlow(late: readonly ServerStatus[]): void;
}

/**
 * Returns the servers that a definition writes out. Rules go by name, so a name means one server in a session: the
 * session's takes precedence, then the first type's; another one of that name is not started.
 */
function definitionServers(definition: AgentDefinition, parts: AgentServersParts): ParsedServers {
  const parsed = parsedOf(definition, parts);
  const problems = [...parsed.problems];
  const servers = parsed.servers.flatMap((server) => {
    // An equal server is the session's, which all agents share.
    if (parts.servers.some((one) => isSameServer(one, server))) return [];
    const taken = takenBy(server, definition, parts);
    if (taken !== null)
      problems.push(notStarted(server, `"${taken.name}" of ${taken.file} has its name. Rename one of them.`));
    else if (parts.isOff([`mcp__${server.slug}__`]))
      problems.push(notStarted(server, "a rule forbids all of its tools."));
    else return [server];
    return [];
  });
  return { servers, problems };
}

function parsedOf(definition: AgentDefinition, { env }: AgentServersParts): ParsedServers {
  const { mcpServers } = definition;
  if (mcpServers === undefined) return { servers: [], problems: [] };
  return parseMcpServers({ mcpServers: mcpServers.own }, { file: placeOf(definition), env });
}

/** Returns the different server of the same name that a type with precedence brings, or null. */
function takenBy(server: McpServer, definition: AgentDefinition, parts: AgentServersParts): McpServer | null {
  for (const other of parts.kinds()) {
    if (other.name === definition.name) return null;
    const twin = parsedOf(other, parts).servers.find(({ slug }) => slug === server.slug);
    if (twin !== undefined) return isSameServer(twin, server) ? null : twin;
  }
  return null;
}

function placeOf({ name, source }: AgentDefinition): string {
  return source !== undefined && "file" in source ? source.file : `the agent ${name}`;
}

function notStarted({ name, file }: McpServer, why: string): string {
  return `The MCP server "${name}" of ${file} is not started: ${why}`;
}

type Hold = ReturnType<Mcp["hold"]>;

interface Held {
  readonly hold: Hold;
  readonly problems: readonly string[];
  readonly ready: Promise<void>;
  isReported: boolean;
}

/** Servers that definitions write out: each starts with the first agent that brings it and ends with the last. */
export class AgentServers {
  readonly #parts: AgentServersParts;
  readonly #held = new Map<ActorId, Held>();
  /** All slugs so far: an agent can still call what it was offered. */
  readonly #slugs = new Set<string>();
  readonly #reported = new Set<string>();

  constructor(parts: AgentServersParts) {
    this.#parts = parts;
  }

  /** Slugs of the agents' servers, without the session's. */
  get slugs(): ReadonlySet<string> {
    return this.#slugs;
  }

  has(actor: ActorId): boolean {
    return this.#held.has(actor);
  }

  of(actor: ActorId): readonly string[] {
    return this.#held.get(actor)?.hold.slugs ?? [];
  }

  holdersOf(slug: string): readonly ActorId[] {
    return [...this.#held].flatMap(([actor, { hold }]) => (hold.slugs.includes(slug) ? [actor] : []));
  }

  /** Returns why servers it brings are missing, one sentence each; reported once. */
  missing(actor: ActorId): readonly string[] {
    const held = this.#held.get(actor);
    if (held === undefined || held.isReported) return [];
    held.isReported = true;
    return [...held.problems, ...this.#ofAgent(held.hold).flatMap(whyMissing)];
  }

  /** Resolves when its first request need not wait any longer, also if it holds them already. Never rejects. */
  hold(actor: ActorId, definition: AgentDefinition): Promise<void> {
    const before = this.#held.get(actor);
    if (before !== undefined) return before.ready;
    const { mcp, startMs, onChange, onSlow } = this.#parts;
    const brought = definitionServers(definition, this.#parts);
    const hold = mcp.hold(brought.servers);
    const problems = [...brought.problems, ...hold.problems];
    for (const problem of problems) this.#report(problem);
    for (const slug of hold.slugs) this.#slugs.add(slug);
    const ready = hold.ready(startMs).then(() => {
      if (!this.#held.has(actor)) return;
      onChange();
      onSlow(this.#ofAgent(hold).filter(({ state }) => state.type === "starting"));
    });
    this.#held.set(actor, { hold, problems, ready, isReported: false });
    onChange();
    return ready;
  }

  release(actor: ActorId): void {
    const held = this.#held.get(actor);
    if (held === undefined) return;
    this.#held.delete(actor);
    held.hold.release();
    this.#parts.onChange();
  }

  #ofAgent({ slugs }: Hold): readonly ServerStatus[] {
    return this.#parts.mcp.servers().filter(({ slug }) => slugs.includes(slug));
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#parts.onWarning(problem);
  }
}

/** Formats that a server did not start. Its reason may be in the server's own text, which is for the user alone. */
export function formatStartFailure(name: string): string {
  return `The MCP server "${name}" did not start, so its tools are not available; the user knows why.`;
}

/** Returns one sentence, or none if the server is available. */
export function whyMissing({ name, state }: ServerStatus): string[] {
  switch (state.type) {
    case "connected":
      return [];
    case "starting":
      return [`The MCP server "${name}" is still starting, so its tools are not there yet.`];
    case "needs-auth":
      return [`The MCP server "${name}" waits for the user to sign in, so its tools are not available.`];
    case "failed":
      return [formatStartFailure(name)];
    case "stopped":
      return [`The MCP server "${name}" has been stopped.`];
    default:
      return state satisfies never;
  }
}
