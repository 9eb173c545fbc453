import type { AgentDefinition } from "../../context/agents/definition.ts";
import { unknownTools } from "../../context/agents/tool-names.ts";
import type { Outputs } from "../../journal/outputs.ts";
import type { Clock } from "../../lib/clock.ts";
import { valueAt } from "../../lib/json.ts";
import { nearNames } from "../../lib/near-name.ts";
import { listSome, shorten } from "../../lib/text.ts";
import { serverSlug } from "../../mcp/names.ts";
import { type ParsedServers, parseMcpServers } from "../../mcp/parse-servers.ts";
import type { McpServer, McpServerEntry } from "../../mcp/server.ts";
import type { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { UserHandler } from "../../policy/user-requests.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Toolbox } from "../../tools/toolbox.ts";

/** A server that a definition names and its agents do not get. */
export interface MissingServer {
  readonly name: string;
  readonly reason: string;
}

export interface ServersThere {
  /** Names of the session's servers, started or starting. */
  readonly servers: readonly string[];
  readonly leftOut: Readonly<Record<string, string>>;
  readonly kinds: readonly AgentDefinition[];
}

type Kind = Pick<AgentDefinition, "name" | "mcpServers">;

const MOST_TOLD = 5;
const MOST_TOOLS = 10;
const MOST_NAME_CHARS = 64;

/** Returns the servers that agents of this type should have and do not get. Names are normalized as in rules. */
export function missingServers({ name: kind, mcpServers }: Kind, there: ServersThere): MissingServer[] {
  if (mcpServers === undefined || mcpServers.named.length === 0) return [];
  const has = new Set([...there.servers, ...Object.keys(mcpServers.own)].map(serverSlug));
  return mcpServers.named
    .filter((name) => !has.has(serverSlug(name)))
    .map((name) => ({ name, reason: reasonFor(name, kind, there) }));
}

/** Formats the same as sentences, for a user and for models. */
export function missingWords(kind: Kind, there: ServersThere): readonly string[] {
  const missing = missingServers(kind, there);
  const sentences = missing.slice(0, MOST_TOLD).map(({ name, reason }) => {
    return `Agents of type ${kind.name} do not get the MCP server ${shownName(name)}: ${reason}.`;
  });
  const left = missing.length - MOST_TOLD;
  return left > 0
    ? [...sentences, `${left} more MCP servers that agents of type ${kind.name} name are not there.`]
    : sentences;
}

/** The names of tools, as a session knows them. */
interface ToolsThere extends ServersThere {
  readonly known: ReadonlySet<string>;
}

/** Says which tools of a definition do not exist: `grave` if its agents have none, or may use what it forbids. */
function toolWords(
  kind: AgentDefinition,
  { known, servers }: ToolsThere,
): { grave: string[]; others: string[] } {
  const { name, tools, disallowedTools = [], mcpServers } = kind;
  const has = new Set([...servers, ...Object.keys(mcpServers?.own ?? {})].map(serverSlug));
  const unknown = (names: readonly string[]) => unknownTools(names, known, (slug) => has.has(slug));
  const missing = tools === "all" ? [] : unknown(tools);
  const forbidden = unknown(disallowedTools).map(shownName).join(", ");
  const list = listSome(missing.map(shownName), MOST_TOOLS);
  const isEmpty = missing.length > 0 && missing.length === tools.length;
  return {
    grave: [
      ...(isEmpty
        ? [
            `None of the tools that agents of type ${name} name exists here: ${list}. They start without them.`,
          ]
        : []),
      ...(forbidden === ""
        ? []
        : [
            `disallowedTools of agents of type ${name} forbids nothing with ${forbidden}: there is no such tool.`,
          ]),
    ],
    others:
      isEmpty || missing.length === 0
        ? []
        : [`Agents of type ${name} do not get ${list}: there is no such tool here.`],
  };
}

/** Formats a name in quotes, in one line and shortened. */
export function shownName(name: string): string {
  return JSON.stringify(shorten(name, MOST_NAME_CHARS));
}

function reasonFor(name: string, kind: string, { servers, leftOut, kinds }: ServersThere): string {
  const slug = serverSlug(name);
  const [, why] = Object.entries(leftOut).find(([one]) => serverSlug(one) === slug) ?? [];
  if (why !== undefined) return why;
  const bringing = kinds.filter(
    (other) =>
      other.name !== kind && Object.keys(other.mcpServers?.own ?? {}).some((one) => serverSlug(one) === slug),
  );
  if (bringing.length > 0)
    return `only agents of type ${bringing.map((one) => one.name).join(", ")} bring it`;
  const known = [...new Set([...servers, ...Object.keys(leftOut)])];
  const near = nearNames(name, known);
  return `there is no server of this name${near.length === 0 ? "" : `; near it: ${near.join(", ")}`}`;
}

export function namedTelling({
  options,
  kinds,
  isOff,
  onWarning,
  toolbox,
}: Pick<ServersParts, "kinds" | "isOff" | "onWarning" | "toolbox"> & {
  readonly options: KnownTo;
}) {
  const known = knownServers(options);
  const reported = new Set<string>();
  /** Rules can change. */
  function there(): ToolsThere {
    const forbidden = known.servers.filter((name) => isOff([`mcp__${serverSlug(name)}__`]));
    const off = Object.fromEntries(forbidden.map((name) => [name, "a rule forbids all of its tools"]));
    const servers = known.servers.filter((name) => !forbidden.includes(name));
    return { servers, leftOut: { ...known.leftOut, ...off }, kinds: kinds(), known: toolbox.known };
  }

  function missing(kind: AgentDefinition): readonly string[] {
    const at = there();
    const { grave, others } = toolWords(kind, at);
    return [...grave, ...others, ...missingWords(kind, at)];
  }

  function warn(sentences: readonly string[]): void {
    for (const sentence of sentences.filter((one) => !reported.has(one))) {
      reported.add(sentence);
      onWarning(sentence);
    }
  }

  return {
    missing,
    /** Warns the user, with each sentence once in a session. */
    tell: (kind: AgentDefinition) => warn(missing(kind)),
    /** Warns the user of what is grave in any of the types that a conversation can start. */
    tellAll(all: readonly AgentDefinition[]) {
      const at = there();
      warn(all.flatMap((kind) => [...toolWords(kind, at).grave, ...missingWords(kind, at)]));
    },
  };
}

type KnownTo = Pick<ServersOptions, "mcpServers" | "serversLeftOut">;

export function knownServers({
  mcpServers = [],
  serversLeftOut,
}: KnownTo): Pick<ServersThere, "servers" | "leftOut"> {
  const { servers, off } = namesIn(mcpServers);
  return { servers, leftOut: { ...serversLeftOut, ...off } };
}

function namesIn(given: NonNullable<ServersOptions["mcpServers"]>): {
  readonly servers: readonly string[];
  readonly off: Readonly<Record<string, string>>;
} {
  if (Array.isArray(given)) return { servers: given.map(({ name }) => name), off: {} };
  const entries = Object.entries(given);
  const isOff = (entry: unknown) => valueAt(entry, ["disabled"]) === true;
  return {
    servers: entries.flatMap(([name, entry]) => (isOff(entry) ? [] : [name])),
    off: Object.fromEntries(
      entries.flatMap(([name, entry]) => (isOff(entry) ? [[name, "its entry switches it off"]] : [])),
    ),
  };
}

export function givenServers(
  given: NonNullable<ServersOptions["mcpServers"]>,
  env: Readonly<Record<string, string | undefined>>,
): ParsedServers {
  if (isRead(given)) return { servers: given, problems: [] };
  return parseMcpServers({ mcpServers: given }, { file: "the option mcpServers", env });
}

function isRead(given: NonNullable<ServersOptions["mcpServers"]>): given is readonly McpServer[] {
  return Array.isArray(given);
}

export interface ServersOptions {
  /** By name, as in `.mcp.json`, or parsed already; shared by all agents. A faulty one gives a warning. */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>> | readonly McpServer[];
  /** Names of known servers that are not started, each with the reason as a clause, for agents that name one. */
  readonly serversLeftOut?: Readonly<Record<string, string>>;
  /** The tool that answers instead of the user: not offered to models. Prompts and spawns reject without it. */
  readonly permissionPromptTool?: string;
}

export interface ServersParts {
  readonly options: ServersOptions & {
    readonly person?: UserHandler;
    readonly env?: Readonly<Record<string, string>>;
  };
  /** The working directories that servers are sent, the session's own first. */
  readonly folders: readonly string[];
  readonly home: string;
  readonly startMs: number;
  /** Characters that one result may have in the window of the session's model. */
  readonly resultChars: number;
  readonly clock: Clock;
  readonly outputs: Pick<Outputs, "next">;
  readonly toolbox: Pick<Toolbox, "serve" | "select" | "originOf" | "known">;
  readonly broker: Pick<UserRequestBroker, "question">;
  readonly actors: Pick<Actors, "find" | "all" | "notify">;
  /** Returns the current agent types, in order of precedence. */
  kinds(): readonly AgentDefinition[];
  kind(type: string): AgentDefinition | undefined;
  /** True if a rule forbids all tools of such names. */
  isOff(names: readonly string[]): boolean;
  readonly onWarning: (message: string) => void;
}
