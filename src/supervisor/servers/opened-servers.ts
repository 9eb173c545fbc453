import * as z from "zod/mini";
import { MAIN } from "../../mailbox/ids.ts";
import { limitsFromEnvironment } from "../../mcp/limits.ts";
import type { Mcp, McpAsk, McpEvent, ServerStatus } from "../../mcp/mcp.ts";
import { resourceTools, serverTools } from "../../mcp/mcp-tools.ts";
import { openMcp } from "../../mcp/open-mcp.ts";
import { type ParsedServers, parseMcpServers } from "../../mcp/parse-servers.ts";
import { mcpPerson } from "../../mcp/permission-prompt.ts";
import type { McpServer } from "../../mcp/server.ts";
import type { Person } from "../../policy/asks.ts";
import type { CustomTool } from "../custom-tools.ts";
import type { SupervisorOptions } from "../options.ts";
import type { ServersParts } from "./parts.ts";
import { serverNotice } from "./server-news.ts";
import { serverQuestions } from "./server-questions.ts";

export interface OpenedServers {
  readonly known: Promise<void>;
  /** Answers in the person's place; null where nobody wants that. */
  readonly promptTool: Person | null;
  status(): readonly ServerStatus[];
  close(): Promise<void>;
}

/** Starts the servers; their tools are in the toolbox as soon as they are known. */
export function openServers(parts: ServersParts): OpenedServers {
  const { options, folders, home, clock, outputs, toolbox, actors, onWarning } = parts;
  const env = { ...process.env, ...options.env };
  const { servers, problems } = serversOf(options.mcpServers ?? [], env);
  for (const problem of problems) onWarning(problem);
  const closing = new AbortController();
  // A tool that answers for permissions cannot choose for the person, nor open a browser.
  const hasPerson = options.person !== undefined && options.permissionPromptTool === undefined;
  const questions = serverQuestions(parts.broker, onWarning);
  const mcp = openMcp({
    ...{ servers, clock, env, outputs, home, onWarning },
    ...{ cwd: folders[0] ?? "/", roots: folders, limits: limitsFromEnvironment(env) },
    ...(hasPerson ? { ask: questions satisfies McpAsk } : {}),
  });
  const hidden = options.permissionPromptTool;
  const serve = () =>
    toolbox.serve(
      [...resourceTools(mcp), ...serverTools(mcp)].filter(({ name }) => name !== hidden),
      (name) => (name === hidden ? null : strangerTool(mcp, name)),
    );
  serve();
  let isKnown = false;
  /** By their slugs: the person was told that they are still starting. */
  const slow = new Set<string>();

  async function settle(server: string, changed: readonly string[]): Promise<void> {
    const { name = server } = mcp.servers().find(({ slug }) => slug === server) ?? {};
    if (hasPerson && (await questions.accepts(name, mcp.changes(server), closing.signal))) {
      const accepted = mcp.acceptChanges(server);
      serve();
      tell(server, { accepted });
      return;
    }
    if (closing.signal.aborted) return;
    onWarning(
      `The MCP server "${name}" has changed what ${changed.join(", ")} is since the session first saw it, so it is refused in this session; the next one takes it as it is then.`,
    );
  }

  function tell(server: string, news: Parameters<typeof serverNotice>[1]): void {
    const main = actors.find(MAIN);
    if (!isKnown || main === undefined) return;
    const notice = serverNotice(server, news, new Set(main.spec.tools.map(({ name }) => name)));
    if (notice !== null) actors.tell(MAIN, notice);
  }

  function hear(event: McpEvent): void {
    if (event.type === "state") started(event);
    if (event.type !== "tools") return;
    serve();
    const { server, added, removed, changed } = event;
    const seen = (names: readonly string[]) => names.filter((name) => name !== hidden);
    tell(server, { added: seen(added), removed: seen(removed), changed: seen(changed) });
    if (changed.length > 0) void settle(server, changed);
  }

  /** That one failed was said by the servers themselves. */
  function started({ server, state }: Extract<McpEvent, { type: "state" }>): void {
    if (state.type === "starting" || !slow.delete(server) || state.type !== "connected") return;
    const { name = server, tools = 0 } = mcp.servers().find(({ slug }) => slug === server) ?? {};
    onWarning(
      `The MCP server "${name}" has started; agents that start from now on have its tools (${tools}).`,
    );
  }

  mcp.onEvent(hear);
  const known = (async () => {
    await mcp.ready(parts.startMs);
    serve();
    isKnown = true;
    for (const { name, slug, state } of mcp.servers()) {
      if (state.type !== "starting") continue;
      slow.add(slug);
      onWarning(`The MCP server "${name}" is still starting; its tools come when it has started.`);
    }
    const why = hidden === undefined ? null : whyNoPromptTool(mcp, hidden);
    if (why !== null) throw new Error(why);
  })();
  known.catch(() => {});
  return {
    known,
    promptTool: hidden === undefined ? null : mcpPerson(mcp, hidden, { clock }),
    status: () => mcp.servers(),
    async close() {
      closing.abort();
      await mcp.close();
    },
  };
}

function serversOf(
  given: NonNullable<SupervisorOptions["mcpServers"]>,
  env: Readonly<Record<string, string | undefined>>,
): ParsedServers {
  if (isRead(given)) return { servers: given, problems: [] };
  return parseMcpServers({ mcpServers: given }, { file: "the option mcpServers", env });
}

function isRead(given: NonNullable<SupervisorOptions["mcpServers"]>): given is readonly McpServer[] {
  return Array.isArray(given);
}

/** Null: it is there, or its server is still starting and may have it. */
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

/** A tool that is not known here, of an agent that was offered it before: the servers say what is with it. */
function strangerTool(mcp: Mcp, name: string): CustomTool | null {
  if (!name.startsWith("mcp__")) return null;
  return {
    ...{ name, aliases: [], permissionLevel: "execute", parallel: false, repeatable: false, description: "" },
    inputSchema: z.record(z.string(), z.unknown()),
    prepare: (input) => ({
      type: "ready",
      title: "",
      accesses: () => [],
      call: ({ call, signal }) => mcp.call({ name, input, call }, signal),
    }),
  };
}
