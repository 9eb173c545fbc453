import type { AgentDefinition } from "../actors/definitions/definition.ts";
import type { Spawn } from "../features/agents/specs.ts";
import { bringsServers } from "../features/servers/tools-after-start.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import type { Session } from "../session/session.ts";
import type { ActorRecord } from "./actor-record.ts";

type Ground = Pick<Session, "isolation" | "servers">;

/** What a new agent has of its own, which must be there before its spec is made. */
export type Prepared = Pick<Spawn, "id" | "root" | "isolation" | "servers">;

export interface SpawnNeeds {
  /** What the call says, else its definition. */
  readonly isolation?: "worktree" | undefined;
  readonly merge?: MergeMode | undefined;
}

/**
 * A tree of its own, and the MCP servers that its definition brings, held for it: whoever asks starts it at once when
 * this resolves. Null: it needs neither. Rejects, with a sentence, where it cannot have a tree, and with the signal.
 */
export function prepareSpawn(
  definition: AgentDefinition,
  from: string,
  { isolation = definition.isolation, merge = definition.merge }: SpawnNeeds,
  session: Ground & Pick<Session, "ids">,
  signal?: AbortSignal,
): Promise<Prepared> | null {
  const isIsolated = isolation === "worktree";
  if (!isIsolated && !bringsServers(definition)) return null;
  return prepare(definition, isIsolated ? { from, merge } : null, session, signal);
}

async function prepare(
  definition: AgentDefinition,
  tree: { readonly from: string; readonly merge: MergeMode | undefined } | null,
  { isolation, servers, ids }: Ground & Pick<Session, "ids">,
  signal: AbortSignal | undefined,
): Promise<Prepared> {
  const id = ids.actor();
  const own = tree === null ? {} : await isolation.wanted(id, tree.from, tree.merge);
  await servers.hold(id, definition);
  if (signal?.aborted) servers.release(id);
  signal?.throwIfAborted();
  return { id, ...own, servers: servers.of(id) };
}

/**
 * Its tree, which may have to be made first, and the servers that it brings, where it goes on. Null: it can begin at
 * once. Else it can when this resolves, unless that answers why not, in a sentence.
 */
export function prepareResume(
  actor: ActorRecord,
  { isolation, servers }: Ground,
): Promise<string | null> | null {
  const tree = isolation.before(actor);
  const started = servers.holdAgain(actor);
  if (tree === null && started === null) return null;
  actor.keptBy =
    tree === null
      ? { type: "tool", tool: "MCP", title: "its servers are starting" }
      : { type: "tool", tool: "Worktree", title: "its worktree is being made" };
  return Promise.all([tree, started]).then(([failed]) => {
    actor.keptBy = null;
    return failed;
  });
}
