import type { AgentDefinition } from "../../context/agents/definition.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { ChangedTool, McpAsk, McpEvent, ServerStatus } from "../../mcp/mcp.ts";
import { openMcp } from "../../mcp/open-mcp.ts";
import { mcpPerson, whyNoPromptTool } from "../../mcp/permission-prompt.ts";
import { defaultMcpLimits, limitsFromEnvironment } from "../../mcp/server.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { AgentServers, formatStartFailure } from "./agent-servers.ts";
import { givenServers, knownServers, namedTelling, type ServersParts } from "./named-servers.ts";
import {
  firstNotice,
  missingNotice,
  type ServerNews,
  type ServerNotice,
  serverNotice,
} from "./server-notices.ts";
import { serverPrompts } from "./server-prompts.ts";
import { serverQuestions } from "./server-questions.ts";
import { absenceReason, getsNotices, kindOf, servedTools, toolsAfterStart } from "./server-tools.ts";

const NOTE_CHARS = 500;

export type OpenedServers = ReturnType<typeof openServers>;
/** A user's actions on the MCP servers of a session, each by its name or its slug. */
export type ServerService = OpenedServers["service"];

/** Starts the session's servers, and those that its agents bring; their tools enter the toolbox as soon as they are known. */
export function openServers(parts: ServersParts) {
  const { options, folders, home, clock, outputs, toolbox, actors, onWarning } = parts;
  const { permissionPromptTool: hidden } = options;
  const env = { ...process.env, ...options.env };
  const { servers, problems } = givenServers(options.mcpServers ?? [], env);
  for (const problem of problems) onWarning(problem);
  const isWanted = Object.keys(options.mcpServers ?? []).length > 0 || hidden !== undefined;
  const closing = new AbortController();
  // A tool that answers permission requests cannot choose for the user.
  const hasPerson = options.person !== undefined && hidden === undefined;
  const questions = serverQuestions(parts.broker, onWarning);
  const limits = limitsFromEnvironment(env);
  const resultChars = Math.min(
    parts.resultChars - NOTE_CHARS,
    limits.resultChars ?? defaultMcpLimits.resultChars,
  );
  const mcp = openMcp({
    ...{ servers, clock, env, outputs, home, onWarning },
    ...{ cwd: folders[0] ?? "/", roots: folders, limits: { ...limits, resultChars } },
    ...(hasPerson ? { ask: questions satisfies McpAsk } : {}),
  });
  const agents = new AgentServers({
    ...{ ...parts, mcp, servers, env, onSlow: tellSlow },
    onChange: () => serve(),
  });
  const shared = new Set(servers.map(({ slug }) => slug));
  const served = servedTools({ mcp, agents, shared, hidden });
  const serve = () => toolbox.serve(served());
  const statusOf = (server: string) => mcp.servers().find(({ slug, name }) => [slug, name].includes(server));
  const ofSession = () => mcp.servers().filter(({ slug }) => shared.has(slug));
  const slowNow = () => ofSession().filter(({ state }) => state.type === "starting");
  const isThereFor = (actor: ActorId, slug: string) => shared.has(slug) || agents.of(actor).includes(slug);
  const lateOf = (actor: Actor) => toolsAfterStart(actor, { ...parts, own: agents.of(actor.id) });
  const named = namedTelling(parts);
  let isKnown = false;
  /** By slug: the user was notified that they are still starting. */
  const slow = new Set<string>();

  /** Notifies running conversations what they can find and call from now on, and what not. */
  function tell(server: string, news: ServerNews): void {
    for (const actor of actors.all()) {
      const leads = actor.id === MAIN;
      if (!isThereFor(actor.id, server) || (actor.hasEnded && !leads)) continue;
      const own = new Set(actor.spec.tools.map(({ name }) => name));
      const notice = serverNotice(server, news, { own, late: lateOf(actor), leads });
      if (notice === null) continue;
      actor.addDeferredTools(notice.tools);
      actors.notify(actor.id, notice);
    }
  }

  function firstNews(actor: Actor): ServerNotice | null {
    const { id, spec, turnsTaken } = actor;
    // A fork knows it from its parent.
    const kind = turnsTaken > 0 ? undefined : parts.kind(spec.type);
    const missing = [...(kind === undefined ? [] : named.missing(kind)), ...agents.missing(id)];
    const starting = turnsTaken === 0 && getsNotices(actor) ? slowNow().map(({ name }) => name) : [];
    const notice = firstNotice(missing, lateOf(actor), starting);
    if (notice !== null) actor.addDeferredTools(notice.tools);
    return notice;
  }

  async function settle(server: string, changed: readonly string[]): Promise<void> {
    const { name = server } = statusOf(server) ?? {};
    const shown = mcp.changes(server);
    if (hasPerson && (await questions.accepts(name, shown, closing.signal))) {
      accept(server, shown);
      return;
    }
    if (closing.signal.aborted) return;
    onWarning(
      `The MCP server "${name}" has changed what ${changed.join(", ")} is since the session first saw it, so it is refused in this session; the next one takes it as it is then.`,
    );
  }

  /** Accepts what the user has seen: tools that are unchanged since can be called again. Returns their names. */
  function accept(server: string, shown: readonly ChangedTool[]): readonly string[] {
    const { slug = server } = statusOf(server) ?? {};
    const accepted = mcp.acceptChanges(slug, shown);
    if (accepted.length === 0) return accepted;
    serve();
    if (isKnown) tell(slug, { accepted });
    return accepted;
  }

  function hear(event: McpEvent): void {
    if (event.type === "state") {
      serve();
      started(event);
    }
    if (event.type !== "tools") return;
    serve();
    const { server, added, removed, changed } = event;
    const seen = (names: readonly string[]) => names.filter((name) => name !== hidden);
    if (isKnown) tell(server, { added: seen(added), removed: seen(removed), changed: seen(changed) });
    if (changed.length > 0) void settle(server, changed);
  }

  /** The servers themselves have reported the failure to the user. */
  function started({ server, state }: Extract<McpEvent, { type: "state" }>): void {
    if (state.type === "starting" || !slow.delete(server)) return;
    const { name = server, tools = 0 } = statusOf(server) ?? {};
    if (state.type === "failed")
      for (const actor of agents.holdersOf(server))
        actors.notify(actor, missingNotice(formatStartFailure(name)));
    if (state.type === "connected")
      onWarning(`The MCP server "${name}" has started; its tools (${tools}) can be used from now on.`);
  }

  function tellSlow(late: readonly ServerStatus[]): void {
    for (const { name, slug } of late) {
      if (slow.has(slug)) continue;
      slow.add(slug);
      onWarning(`The MCP server "${name}" is still starting; its tools come when it has started.`);
    }
  }

  /** Starts a definition's servers for one agent, until it is released. Returns null if there is nothing to wait for. */
  function hold(actor: ActorId, definition: AgentDefinition): Promise<void> | null {
    const brings = Object.keys(definition.mcpServers?.own ?? {}).length > 0;
    return brings ? agents.hold(actor, definition) : null;
  }

  const joints: Joints = {
    prepareSpawn({ id, definition, signal }) {
      named.tell(definition);
      const ready = hold(id, definition);
      if (ready === null) return null;
      return ready.then(() => {
        signal?.throwIfAborted();
        return { servers: agents.of(id) };
      });
    },
    prepareStart(actor) {
      const notify = () => {
        const notice = firstNews(actor);
        if (notice !== null) actors.notify(actor.id, notice);
        return null;
      };
      const kind = kindOf(actor, parts);
      const isHeld = kind === null || kind === "main" || agents.has(actor.id);
      const ready = isHeld ? null : hold(actor.id, kind);
      if (ready === null) return notify();
      return { tool: "MCP", title: "its servers are starting", ready: ready.then(notify) };
    },
    onEvent(event) {
      if (event.type === "released") agents.release(event.id);
    },
  };

  mcp.onEvent(hear);
  // The servers that agents bring are theirs alone.
  const prompts = serverPrompts({ ...mcp, servers: ofSession }, clock, closing.signal);
  const known = mcp.ready(isWanted ? parts.startMs : 0).then(() => {
    isKnown = true;
    if (!isWanted) return;
    serve();
    tellSlow(slowNow());
    const why = hidden === undefined ? null : whyNoPromptTool(mcp, hidden);
    if (why !== null) throw new Error(why);
  });
  // The rejection reaches the next prompt; it need not be handled otherwise.
  known.catch(() => {});
  return {
    /** Resolves when the first request need not wait any longer; rejects with the reason if nothing may run. */
    known: isWanted ? known : null,
    named,
    status: mcp.servers,
    service: {
      ...{ prompts: prompts.now, signIn: mcp.signIn, signOut: mcp.signOut, restart: mcp.restart },
      ...{ changes: mcp.changes, accept },
    },
    /** Expands a line that calls a server's prompt; null without servers: a line is then text. */
    prompted: isWanted ? prompts.typed : null,
    /** Answers instead of the user, if an MCP tool was chosen for that. */
    person: hidden === undefined ? null : mcpPerson(mcp, hidden),
    hold,
    of: (actor: ActorId) => agents.of(actor),
    /** Returns why it was not offered a server's tool, for its model, or null if nothing is known of it. */
    whyAbsent(id: ActorId, tool: string): string | null {
      const actor = actors.find(id);
      if (actor === undefined) return null;
      return absenceReason(actor, tool, {
        ...{ actors, kind: parts.kind, leftOut: knownServers(options).leftOut },
        there: mcp.servers().filter(({ slug }) => isThereFor(id, slug)),
      });
    },
    joints,
    async close() {
      closing.abort();
      await mcp.close();
    },
  };
}
