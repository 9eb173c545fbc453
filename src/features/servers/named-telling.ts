import type { AgentDefinition } from "../../context/agents/definition.ts";
import { serverSlug } from "../../mcp/names.ts";
import { missingWords, type ServersThere } from "./named-servers.ts";
import type { ServersOptions, ServersParts } from "./parts.ts";

/** Reports missing servers that definitions name. */
export interface NamedTelling {
  /** Returns a sentence for each missing server of this type. */
  missing(kind: AgentDefinition): readonly string[];
  /** Warns the user, with each sentence once in a session. */
  tell(kinds: readonly AgentDefinition[]): void;
}

export function namedTelling({
  options,
  kinds,
  isOff,
  onWarning,
}: Pick<ServersParts, "kinds" | "isOff" | "onWarning"> & {
  readonly options: KnownTo;
}): NamedTelling {
  const known = knownServers(options);
  const told = new Set<string>();
  /** Rules can change. */
  function there(): ServersThere {
    const forbidden = known.servers.filter((name) => isOff([`mcp__${serverSlug(name)}__`]));
    const off = Object.fromEntries(forbidden.map((name) => [name, "a rule forbids all of its tools"]));
    const servers = known.servers.filter((name) => !forbidden.includes(name));
    return { servers, leftOut: { ...known.leftOut, ...off }, kinds: kinds() };
  }

  const missing = (kind: AgentDefinition) => missingWords(kind, there());
  return {
    missing,
    tell(of) {
      const fresh = of.flatMap(missing).filter((sentence) => !told.has(sentence));
      for (const sentence of fresh) told.add(sentence);
      for (const sentence of fresh) onWarning(sentence);
    },
  };
}

type KnownTo = Pick<ServersOptions, "mcpServers" | "serversLeftOut">;

/** Returns the servers that a session with these options knows. */
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
  const isOff = (entry: unknown) =>
    typeof entry === "object" && entry !== null && "disabled" in entry && entry.disabled === true;
  return {
    servers: entries.flatMap(([name, entry]) => (isOff(entry) ? [] : [name])),
    off: Object.fromEntries(
      entries.flatMap(([name, entry]) => (isOff(entry) ? [[name, "its entry switches it off"]] : [])),
    ),
  };
}
