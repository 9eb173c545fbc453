import type { ActorId } from "../../mailbox/ids.ts";
import { defaultMcpLimits, limitsFromEnvironment } from "../../mcp/limits.ts";
import type { ChangedTool, Mcp, McpAsk, McpEvent, ServerStatus } from "../../mcp/mcp.ts";
import { openMcp } from "../../mcp/open-mcp.ts";
import { type ParsedServers, parseMcpServers } from "../../mcp/parse-servers.ts";
import { mcpPerson } from "../../mcp/permission-prompt.ts";
import type { McpServer } from "../../mcp/server.ts";
import type { UserHandler } from "../../policy/asks.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { AgentServers } from "./agent-servers.ts";
import type { ServersOptions, ServersParts } from "./parts.ts";
import { servedTools } from "./served-tools.ts";
import type { ServerNotice } from "./server-notices.ts";
import { type ServerPrompts, serverPrompts } from "./server-prompts.ts";
import { serverQuestions } from "./server-questions.ts";
import type { ServerService } from "./server-service.ts";
import { toolNotices } from "./tool-notices.ts";

export interface OpenedServers {
  readonly known: Promise<void>;
  /** Answers instead of the user; null if not configured. */
  readonly promptTool: UserHandler | null;
  status(): readonly ServerStatus[];
  /** Returns the servers available to an actor. */
  thereFor(actor: ActorId): readonly ServerStatus[];
  /** Expands a line that calls a server's prompt; null if it calls none. */
  readonly prompted: ServerPrompts["typed"];
  readonly desk: ServerService;
  readonly agents: Pick<AgentServers, "hold" | "of" | "release">;
  /** Returns the notice about servers before an actor's thread starts, including these sentences, or null. */
  firstNews(actor: Actor, missing: readonly string[]): ServerNotice | null;
  close(): Promise<void>;
}

/** For the note in a long result that names its file. */
const NOTE_CHARS = 500;

/** Starts the servers; their tools enter the toolbox as soon as they are known. */
export function openServers(parts: ServersParts): OpenedServers {
  const { options, folders, home, clock, outputs, toolbox, actors, onWarning } = parts;
  const env = { ...process.env, ...options.env };
  const { servers, problems } = serversOf(options.mcpServers ?? [], env);
  for (const problem of problems) onWarning(problem);
  const closing = new AbortController();
  // A tool that answers permission requests cannot choose for the user.
  const hasPerson = options.person !== undefined && options.permissionPromptTool === undefined;
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
  const hidden = options.permissionPromptTool;
  const agents = new AgentServers({
    ...{ mcp, startMs: parts.startMs, onWarning, onChange: () => serve() },
    bringParts: () => ({ servers, kinds: parts.kinds(), env, isOff: parts.isOff }),
    onSlow: tellSlow,
  });
  const shared = new Set(servers.map(({ slug }) => slug));
  const served = servedTools({ mcp, agents, shared, hidden });
  const serve = () => toolbox.serve(served());
  const { tell, missing, first } = toolNotices({
    ...{ toolbox, actors, agents, kind: parts.kind },
    isShared: (slug) => shared.has(slug),
    starting: () => slowNow().map(({ name }) => name),
  });
  serve();
  let isKnown = false;
  /** By slug: the user was notified that they are still starting. */
  const slow = new Set<string>();

  async function settle(server: string, changed: readonly string[]): Promise<void> {
    const { name = server } = mcp.servers().find(({ slug }) => slug === server) ?? {};
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

  function accept(server: string, shown: readonly ChangedTool[]): readonly string[] {
    const { slug = server } = statusOf(server) ?? {};
    const accepted = mcp.acceptChanges(slug, shown);
    if (accepted.length === 0) return accepted;
    serve();
    if (isKnown) tell(slug, { accepted });
    return accepted;
  }

  const statusOf = (server: string) => mcp.servers().find(({ slug, name }) => [slug, name].includes(server));

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
    const { name = server, tools = 0 } = mcp.servers().find(({ slug }) => slug === server) ?? {};
    if (state.type === "failed") missing(server, name);
    if (state.type !== "connected") return;
    onWarning(`The MCP server "${name}" has started; its tools (${tools}) can be used from now on.`);
  }

  function slowNow(): readonly ServerStatus[] {
    return mcp.servers().filter(({ slug, state }) => shared.has(slug) && state.type === "starting");
  }

  function tellSlow(late: readonly ServerStatus[]): void {
    for (const { name, slug } of late) {
      if (slow.has(slug)) continue;
      slow.add(slug);
      onWarning(`The MCP server "${name}" is still starting; its tools come when it has started.`);
    }
  }

  mcp.onEvent(hear);
  // The servers that agents bring are theirs alone.
  const own = () => mcp.servers().filter(({ slug }) => shared.has(slug));
  const prompts = serverPrompts({ ...mcp, servers: own }, clock, closing.signal);
  const known = (async () => {
    await mcp.ready(parts.startMs);
    serve();
    isKnown = true;
    tellSlow(slowNow());
    const why = hidden === undefined ? null : whyNoPromptTool(mcp, hidden);
    if (why !== null) throw new Error(why);
  })();
  known.catch(() => {});
  return {
    known,
    promptTool: hidden === undefined ? null : mcpPerson(mcp, hidden, { clock }),
    status: () => mcp.servers(),
    thereFor: (actor) =>
      mcp.servers().filter(({ slug }) => shared.has(slug) || agents.of(actor).includes(slug)),
    prompted: prompts.typed,
    desk: {
      prompts: prompts.now,
      signIn: mcp.signIn,
      signOut: mcp.signOut,
      restart: mcp.restart,
      changes: mcp.changes,
      accept,
    },
    agents,
    firstNews: first,
    async close() {
      closing.abort();
      await mcp.close();
    },
  };
}

function serversOf(
  given: NonNullable<ServersOptions["mcpServers"]>,
  env: Readonly<Record<string, string | undefined>>,
): ParsedServers {
  if (isRead(given)) return { servers: given, problems: [] };
  return parseMcpServers({ mcpServers: given }, { file: "the option mcpServers", env });
}

function isRead(given: NonNullable<ServersOptions["mcpServers"]>): given is readonly McpServer[] {
  return Array.isArray(given);
}

/** Returns null if the tool is available, or its server is still starting. */
function whyNoPromptTool(mcp: Mcp, name: string): string | null {
  if (mcp.tools().some((tool) => tool.name === name)) return null;
  const server = mcp.servers().find(({ slug }) => name.startsWith(`mcp__${slug}__`));
  if (server?.state.type === "starting") return null;
  const there = mcp.tools().map((tool) => tool.name);
  const others =
    there.length === 0 ? "no MCP server offers any" : `there are ${there.slice(0, 20).join(", ")}`;
  const failed = server && "reason" in server.state && server.state.reason ? ` ${server.state.reason}` : "";
  return `There is no tool ${name} that could answer for permissions, so nothing is run; ${others}.${failed}`;
}
