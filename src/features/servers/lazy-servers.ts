import type { AgentDefinition } from "../../context/agents/definition.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { ServerStatus } from "../../mcp/mcp.ts";
import { serverSlug } from "../../mcp/names.ts";
import type { UserHandler } from "../../policy/asks.ts";
import { matchesToolName } from "../../policy/gate.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { SEARCH } from "../../tools/deferred/resolve-call.ts";
import { namedTools } from "../agents/definition-tools.ts";
import { whyMissing } from "./agent-servers.ts";
import { shownName } from "./named-servers.ts";
import { knownServers, type NamedTelling, namedTelling } from "./named-telling.ts";
import type { OpenedServers } from "./opened-servers.ts";
import type { ServersParts } from "./parts.ts";
import { firstNotice, type ServerNotice } from "./server-notices.ts";
import type { ServerPrompts } from "./server-prompts.ts";
import { lateDesk, type ServerService } from "./server-service.ts";
import { bringsServers, type KindsOf, kindOf } from "./tools-after-start.ts";

/** The MCP servers of a session and its agents. Their code is loaded only if there are any: most sessions have none. */
export interface LazyServers {
  /** Resolves when the first request need not wait any longer; rejects with the reason if nothing may run. */
  readonly known: Promise<void> | null;
  status(): readonly ServerStatus[];
  /** The user's actions on servers. */
  readonly desk: ServerService;
  /** Expands a line that calls a server's prompt; null without servers: a line is then text. */
  readonly prompted: ServerPrompts["typed"] | null;
  /**
   * Starts a definition's servers for one agent, until it is released. Returns null if there is nothing to wait for; else the agent can
   * start when it resolves.
   */
  hold(actor: ActorId, definition: AgentDefinition): Promise<void> | null;
  /** Holds them for a resumed agent, unless it still does. */
  holdAgain(actor: Actor): Promise<void> | null;
  /** Releases an agent's servers; those that no other agent brings end. */
  release(actor: ActorId): void;
  /** Returns the slugs of the servers held for it. */
  of(actor: ActorId): readonly string[];
  /** Servers that definitions name and their agents do not get. */
  readonly named: NamedTelling;
  /** Returns why it was not offered a server's tool, for its model, or null if nothing is known of it. */
  whyAbsent(actor: Actor, tool: string): string | null;
  /** Returns the notice about servers before its thread starts, or null. */
  firstNews(actor: Actor): ServerNotice | null;
  close(): Promise<void>;
}

export function lazyServers(parts: ServersParts): LazyServers & { readonly person: UserHandler } {
  const { mcpServers = [], permissionPromptTool } = parts.options;
  const nobody: UserHandler = {
    ask: async () => ({ type: "unavailable", reason: "There is no MCP server." }),
  };
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
  // The rejection reaches the next prompt; it need not be handled otherwise.
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

interface AbsentParts extends KindsOf {
  /** Its servers, in any state. */
  readonly there: readonly ServerStatus[];
  /** Names of known servers that are not started, each with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

const GO_ON = "Continue without it, and say so in your report where it matters.";
const WAIT = "You are notified when they are ready; until then do what needs none of them.";

const JUST_COME = "It is ready now: make the call again.";

/**
 * Returns why an actor was not offered a server's tool, and what to do. Returns null if it may not have it anyway, or
 * if nothing is known of such a server or tool.
 */
function absenceReason(actor: Actor, tool: string, parts: AbsentParts): string | null {
  if (!mayHave(actor, tool, parts)) return null;
  const isOf = (slug: string) => tool.startsWith(`mcp__${slug}__`);
  const status = parts.there.find(({ slug }) => isOf(slug));
  if (status !== undefined) {
    const [why] = whyMissing(status);
    const isOffered = actor.spec.tools.some(({ name }) => name === tool);
    if (why === undefined) return isOffered ? JUST_COME : null;
    return `${why} ${status.state.type === "starting" && hears(actor) ? WAIT : GO_ON}`;
  }
  const left = Object.entries(parts.leftOut).find(([name]) => isOf(serverSlug(name)));
  return left === undefined
    ? null
    : `The MCP server ${shownName(left[0])} is not started: ${left[1]}. ${GO_ON}`;
}

function mayHave(actor: Actor, tool: string, of: KindsOf): boolean {
  const kind = kindOf(actor, of);
  if (kind === null || kind === "main") return kind !== null;
  const allowed = namedTools(kind);
  const isNamed = (names: readonly string[]) => names.some((one) => matchesToolName(one, tool));
  return (allowed === "all" || isNamed(allowed)) && !isNamed(kind.disallowedTools ?? []);
}

/** True if it gets notices of new tools. */
function hears({ id, spec }: Actor): boolean {
  return id === MAIN || spec.tools.some(({ name }) => name === SEARCH);
}
