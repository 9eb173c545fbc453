import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Hold, Mcp, ServerStatus } from "../../mcp/mcp.ts";
import { isSameServer, type McpServer } from "../../mcp/server.ts";
import { type BringParts, type Brought, definitionServers } from "./definition-servers.ts";

export interface AgentServersParts {
  readonly mcp: Pick<Mcp, "hold" | "servers">;
  /** Milliseconds that the first request of an agent waits. */
  readonly startMs: number;
  bringParts(): BringParts;
  /** Other servers are there for agents than before. */
  onChange(): void;
  /** These took longer than agents wait. */
  onSlow(late: readonly ServerStatus[]): void;
  onWarning(message: string): void;
}

interface Held extends Brought {
  readonly hold: Hold;
  readonly ready: Promise<void>;
  /** It knows what of it is missing. */
  isTold: boolean;
}

/**
 * The servers that agents' definitions write out: each is started with the first agent that brings it, shared by those
 * that do, and ended with the last of them.
 */
export class AgentServers {
  readonly #parts: AgentServersParts;
  readonly #held = new Map<ActorId, Held>();
  /** Of all that there were: what an agent has been offered it can still call. */
  readonly #slugs = new Set<string>();
  readonly #told = new Set<string>();

  constructor(parts: AgentServersParts) {
    this.#parts = parts;
  }

  /** Servers that are no agent's but the session's are not among them. */
  get slugs(): ReadonlySet<string> {
    return this.#slugs;
  }

  /** Those that are there for an agent. */
  of(actor: ActorId): readonly string[] {
    return this.#held.get(actor)?.hold.slugs ?? [];
  }

  /** Who holds this server. */
  holdersOf(slug: string): readonly ActorId[] {
    return [...this.#held].flatMap(([actor, { hold }]) => (hold.slugs.includes(slug) ? [actor] : []));
  }

  /** Why some of what it brings is not there, in sentences; told once. Empty: all of it is. */
  missing(actor: ActorId): readonly string[] {
    const held = this.#held.get(actor);
    if (held === undefined || held.isTold) return [];
    held.isTold = true;
    return [...held.problems, ...this.#ofAgent(held.hold).flatMap(whyMissing)];
  }

  /** Resolves when its first request need wait no longer. The same for one that holds them already. Never rejects. */
  hold(actor: ActorId, definition: AgentDefinition): Promise<void> {
    const before = this.#held.get(actor);
    if (before !== undefined) return before.ready;
    const { mcp, startMs, onChange, onSlow } = this.#parts;
    const { servers, problems } = this.#unchanged(definitionServers(definition, this.#parts.bringParts()));
    for (const problem of problems) this.#tell(problem);
    const hold = mcp.hold(servers);
    for (const slug of hold.slugs) this.#slugs.add(slug);
    const ready = hold.ready(startMs).then(() => {
      if (!this.#held.has(actor)) return;
      onChange();
      onSlow(this.#ofAgent(hold).filter(({ state }) => state.type === "starting"));
    });
    this.#held.set(actor, { hold, servers, problems, ready, isTold: false });
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

  /** Without those that are something else, by now, than what agents that still run hold under the name. */
  #unchanged({ servers, problems }: Brought): Brought {
    const running = [...this.#held.values()].flatMap((held) => held.servers);
    const isOther = (server: McpServer) =>
      running.some((other) => other.slug === server.slug && !isSameServer(other, server));
    const changed = servers.filter(isOther);
    return {
      servers: servers.filter((server) => !isOther(server)),
      problems: [...problems, ...changed.map(whyChanged)],
    };
  }

  #ofAgent({ slugs }: Hold): readonly ServerStatus[] {
    return this.#parts.mcp.servers().filter(({ slug }) => slugs.includes(slug));
  }

  /** Once, however many agents bring it. */
  #tell(problem: string): void {
    if (this.#told.has(problem)) return;
    this.#told.add(problem);
    this.#parts.onWarning(problem);
  }
}

function whyChanged({ name, file }: McpServer): string {
  return `The MCP server "${name}" of ${file} is not started: agents that still run have one of that name, as its entry was before.`;
}

/** The reason may be in the server's own words, which are for the person alone. */
export function didNotStart(name: string): string {
  return `The MCP server "${name}" did not start, so its tools are not there; the person was told why.`;
}

/** In a sentence; none: it is there. */
export function whyMissing({ name, state }: ServerStatus): string[] {
  switch (state.type) {
    case "connected":
      return [];
    case "starting":
      return [`The MCP server "${name}" is still starting, so its tools are not there yet.`];
    case "needs-auth":
      return [`The MCP server "${name}" waits for the person to sign in, so its tools are not there.`];
    case "failed":
      return [didNotStart(name)];
    case "stopped":
      return [`The MCP server "${name}" has been stopped.`];
    default:
      return state satisfies never;
  }
}
