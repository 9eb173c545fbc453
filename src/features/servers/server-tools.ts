import type { AgentDefinition } from "../../context/agents/definition.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { AgentTool } from "../../mailbox/messages.ts";
import { FORK } from "../../mailbox/messages.ts";
import type { ServerState, ServerStatus } from "../../mcp/mcp.ts";
import { resourceTools, serverTool, serverTools } from "../../mcp/mcp-tools.ts";
import { serverSlug } from "../../mcp/names.ts";
import type { Mcp } from "../../mcp/open-mcp.ts";
import { matchesToolName } from "../../policy/engine/rule-syntax.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import { CALLER, SEARCH } from "../../tools/tool-search.ts";
import type { Served, Toolbox } from "../../tools/toolbox.ts";
import { namedTools } from "../agents/listing.ts";
import { type AgentServers, whyMissing } from "./agent-servers.ts";
import { shownName } from "./named-servers.ts";

export interface KindsOf {
  readonly actors: Pick<Actors, "find">;
  kind(type: string): AgentDefinition | undefined;
}

/** Returns an actor's type (a fork has its parent's), "main", or null if the type no longer exists. */
export function kindOf({ spec }: Actor, of: KindsOf): AgentDefinition | "main" | null {
  if (spec.id === MAIN) return "main";
  if (spec.type !== FORK) return of.kind(spec.type) ?? null;
  const parent = spec.parent === null ? undefined : of.actors.find(spec.parent);
  return parent === undefined ? null : kindOf(parent, of);
}

/** Returns server tools that an actor may use and was started without, if it can search for tools. */
export function toolsAfterStart(
  actor: Actor,
  {
    own,
    toolbox,
    ...of
  }: KindsOf & {
    readonly own: readonly string[];
    readonly toolbox: Pick<Toolbox, "select" | "originOf">;
  },
): AgentTool[] {
  const has = new Set(actor.spec.tools.map(({ name }) => name));
  const kind = has.has(SEARCH) && has.has(CALLER) ? kindOf(actor, of) : null;
  if (kind === null) return [];
  const may =
    kind === "main"
      ? toolbox.select("all", [], own)
      : toolbox.select(namedTools(kind), kind.disallowedTools ?? [], own);
  return may
    .filter(({ name }) => !has.has(name) && toolbox.originOf(name) === "server")
    .map((tool) => ({ ...tool, deferred: true }));
}

interface AbsentParts extends KindsOf {
  /** Its servers, in any state. */
  readonly there: readonly ServerStatus[];
  readonly leftOut: Readonly<Record<string, string>>;
}

const GO_ON = "Continue without it, and say so in your report where it matters.";
const WAIT = "You are notified when they are ready; until then do what needs none of them.";

const JUST_COME = "It is ready now: make the call again.";

/** Returns why an actor lacks a server's tool and what to do; null if it may not have it, or nothing is known. */
export function absenceReason(actor: Actor, tool: string, parts: AbsentParts): string | null {
  if (!mayHave(actor, tool, parts)) return null;
  const isOf = (slug: string) => tool.startsWith(`mcp__${slug}__`);
  const status = parts.there.find(({ slug }) => isOf(slug));
  if (status !== undefined) {
    const [why] = whyMissing(status);
    const isOffered = actor.spec.tools.some(({ name }) => name === tool);
    if (why === undefined) return isOffered ? JUST_COME : null;
    return `${why} ${status.state.type === "starting" && getsNotices(actor) ? WAIT : GO_ON}`;
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
export function getsNotices({ id, spec }: Actor): boolean {
  return id === MAIN || spec.tools.some(({ name }) => name === SEARCH);
}

interface ServedParts {
  readonly mcp: Mcp;
  readonly agents: Pick<AgentServers, "of" | "slugs">;
  readonly shared: ReadonlySet<string>;
  readonly hidden: string | undefined;
}

/** Returns the servers' tools, current at each call. */
export function servedTools({ mcp, agents, shared, hidden }: ServedParts): () => Served {
  const resources = resourceTools(
    mcp,
    (actor) => (slug) => shared.has(slug) || agents.of(actor).includes(slug),
  );
  const isWanted = shared.size > 0 || hidden !== undefined;
  return () => {
    const all = [...(isWanted ? resources : []), ...serverTools(mcp, (slug) => shared.has(slug))];
    const ofOne = (one: string) => [...resources, ...serverTools(mcp, (slug) => slug === one)];
    return {
      all: all.filter(({ name }) => name !== hidden),
      own: new Map([...agents.slugs].map((slug) => [slug, ofOne(slug)])),
      awaited: mcp.servers().flatMap(({ slug, state }) => (mayStillCome(state) ? [slug] : [])),
      stranger: (name) => (name === hidden || !name.startsWith("mcp__") ? null : serverTool(mcp, name)),
    };
  };
}

/** True if it is starting, or the user may still sign in. */
function mayStillCome({ type }: ServerState): boolean {
  return type === "starting" || type === "needs-auth";
}
