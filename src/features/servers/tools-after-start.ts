import type { AgentDefinition } from "../../actors/definitions/definition.ts";
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
  /** The kind of this name, as it is now. */
  kind(type: string): AgentDefinition | undefined;
}

/** The kind that an actor is of; a fork is of its parent's. Null: it is the main conversation, or its kind is gone. */
export function kindOf({ spec }: Actor, of: KindsOf): AgentDefinition | "main" | null {
  if (spec.id === MAIN) return "main";
  if (spec.type !== FORK) return of.kind(spec.type) ?? null;
  const parent = spec.parent === null ? undefined : of.actors.find(spec.parent);
  return parent === undefined ? null : kindOf(parent, of);
}

/** Whether agents of this kind bring servers. */
export function bringsServers({ mcpServers }: AgentDefinition): boolean {
  return mcpServers !== undefined && Object.keys(mcpServers.own).length > 0;
}

/** Tools of servers that an actor may have and was started without, where it can find and call what it is not sent. */
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
