import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { ServerStatus } from "../../mcp/mcp.ts";
import type { UserHandler } from "../../policy/asks.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { absenceReason } from "./absent-tool.ts";
import { knownServers, type NamedTelling, namedTelling } from "./named-telling.ts";
import type { OpenedServers } from "./opened-servers.ts";
import type { ServersParts } from "./parts.ts";
import { firstNotice, type ServerNotice } from "./server-notices.ts";
import type { ServerPrompts } from "./server-prompts.ts";
import { lateDesk, type ServerService } from "./server-service.ts";
import { bringsServers, kindOf } from "./tools-after-start.ts";

/**
 * The MCP servers of a session and of its agents. What they need is loaded where there is one, and not before: most
 * sessions have none.
 */
export interface LazyServers {
  /** Resolves when the first request need wait no longer; rejects, with a sentence, where nothing may run. */
  readonly known: Promise<void> | null;
  status(): readonly ServerStatus[];
  /** What the person does with them. */
  readonly desk: ServerService;
  /** A prompt of a server that a line calls; null: there are none, and a line is text. */
  readonly prompted: ServerPrompts["typed"] | null;
  /**
   * Starts what a definition brings, for one agent of its, until that is released. Null: there is nothing to wait for.
   * Else it can begin when this resolves.
   */
  hold(actor: ActorId, definition: AgentDefinition): Promise<void> | null;
  /** The same for one that goes on, unless it holds them still. */
  holdAgain(actor: Actor): Promise<void> | null;
  /** What it brings is there for it no more; ended where no other agent brings it. */
  release(actor: ActorId): void;
  /** The slugs of those that are held for it. */
  of(actor: ActorId): readonly string[];
  /** Those that definitions name and their agents do not get. */
  readonly named: NamedTelling;
  /** Why it was not offered a tool of a server, in sentences for its model; null: nothing is known of that. */
  whyAbsent(actor: Actor, tool: string): string | null;
  /** What it is told of servers before its thread begins; null: nothing. */
  firstNews(actor: Actor): ServerNotice | null;
  close(): Promise<void>;
}

export function lazyServers(parts: ServersParts): LazyServers & { readonly person: UserHandler } {
  const { mcpServers = [], permissionPromptTool } = parts.options;
  const nobody: UserHandler = { ask: async () => ({ type: "nobody", reason: "There is no MCP server." }) };
  const isWanted = Object.keys(mcpServers).length > 0 || permissionPromptTool !== undefined;
  /** Agents that bring servers, from before these are loaded. */
  const held = new Set<ActorId>();
  let opening: Promise<OpenedServers | null> | null = null;
  let opened: OpenedServers | null = null;
  let closed = false;
  const open = () => {
    opening ??= import("./opened-servers.ts").then(({ openServers }) => {
      if (closed) return null;
      opened = openServers(parts);
      return opened;
    });
    return opening;
  };
  const named = namedTelling(parts);
  const known = isWanted ? open().then((servers) => servers?.known) : null;
  // Whoever prompts hears of it; nobody need.
  known?.catch(() => {});

  function hold(actor: ActorId, definition: AgentDefinition): Promise<void> | null {
    if (held.has(actor) || !bringsServers(definition)) return null;
    held.add(actor);
    return open()
      .then(async (servers) => {
        if (held.has(actor)) await servers?.agents.hold(actor, definition);
      })
      .catch((error: Error) => parts.onWarning(`The MCP servers of ${definition.name}: ${error.message}`));
  }

  /** Before its first turn; a fork knows it from its parent. */
  function missingFor({ spec, turnsTaken }: Actor): readonly string[] {
    const kind = turnsTaken > 0 ? undefined : parts.kind(spec.type);
    return kind === undefined ? [] : named.missing(kind);
  }

  return {
    known,
    named,
    status: () => opened?.status() ?? [],
    desk: lateDesk(
      () => opened?.desk,
      async () => (await opening)?.desk,
    ),
    prompted: isWanted ? async (...given) => (await open())?.prompted(...given) ?? null : null,
    hold,
    holdAgain(actor) {
      const kind = kindOf(actor, parts);
      return kind === null || kind === "main" ? null : hold(actor.id, kind);
    },
    release(actor) {
      if (held.delete(actor)) opened?.agents.release(actor);
    },
    of: (actor) => opened?.agents.of(actor) ?? [],
    whyAbsent: (actor, tool) =>
      absenceReason(actor, tool, {
        ...{ actors: parts.actors, kind: parts.kind },
        there: opened?.thereFor(actor.id) ?? [],
        leftOut: knownServers(parts.options).leftOut,
      }),
    firstNews(actor) {
      const missing = missingFor(actor);
      return opened === null ? firstNotice(missing, []) : opened.firstNews(actor, missing);
    },
    person: {
      ask: async (ask, signal) => ((await opening)?.promptTool ?? nobody).ask(ask, signal),
    },
    async close() {
      closed = true;
      const servers = await opening?.catch(() => null);
      await servers?.close();
    },
  };
}
