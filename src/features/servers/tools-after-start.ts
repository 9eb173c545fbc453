import type { AgentDefinition } from "../../context/agents/definition.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { AgentTool } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import { FORK } from "../../supervisor/run-for.ts";
import type { Toolbox } from "../../supervisor/toolbox.ts";
import { CALLER, SEARCH } from "../../tools/deferred/resolve-call.ts";
import { namedTools } from "../agents/definition-tools.ts";

export interface KindsOf {
  readonly actors: Pick<Actors, "find">;
  /** Returns the current type of this name. */
  kind(type: string): AgentDefinition | undefined;
}

/**
 * Returns the type of an actor (a fork has its parent's), "main" for the main conversation, or null if the type no
 * longer exists.
 */
export function kindOf({ spec }: Actor, of: KindsOf): AgentDefinition | "main" | null {
  if (spec.id === MAIN) return "main";
  if (spec.type !== FORK) return of.kind(spec.type) ?? null;
  const parent = spec.parent === null ? undefined : of.actors.find(spec.parent);
  return parent === undefined ? null : kindOf(parent, of);
}

/** True if agents of this type bring servers. */
export function bringsServers({ mcpServers }: AgentDefinition): boolean {
  return mcpServers !== undefined && Object.keys(mcpServers.own).length > 0;
}

/** Returns server tools that an actor may use and was started without, if it can search for tools. */
export function toolsAfterStart(
  actor: Actor,
  {
    own,
    toolbox,
    ...of
  }: KindsOf & {
    /** The servers that it brings. */
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
