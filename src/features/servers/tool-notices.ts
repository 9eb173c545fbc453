import { MAIN } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { SEARCH } from "../../tools/deferred/resolve-call.ts";
import { type AgentServers, didNotStart } from "./agent-servers.ts";
import type { ServersParts } from "./parts.ts";
import {
  firstNotice,
  missingNotice,
  type ServerNews,
  type ServerNotice,
  serverNotice,
} from "./server-notices.ts";
import { toolsAfterStart } from "./tools-after-start.ts";

export interface TellingParts extends Pick<ServersParts, "toolbox" | "actors" | "kind"> {
  readonly agents: Pick<AgentServers, "of" | "holdersOf" | "missing">;
  /** True if all agents can use it. */
  isShared(server: string): boolean;
  /** Returns the names of shared servers for which the first request waited no longer. */
  starting(): readonly string[];
}

/** Notifies conversations of changes to their servers. */
export interface ToolNotices {
  /** Notifies running conversations what they can find and call from now on, and what not. */
  tell(server: string, news: ServerNews): void;
  /** Notifies the agents that bring this server and waited for it. */
  missing(server: string, name: string): void;
  /** Returns the notice before an actor's thread starts, including these sentences, or null. */
  first(actor: Actor, missing: readonly string[]): ServerNotice | null;
}

export function toolNotices({ agents, isShared, starting, ...parts }: TellingParts): ToolNotices {
  const { actors } = parts;
  const lateOf = (actor: Actor) => toolsAfterStart(actor, { ...parts, own: agents.of(actor.id) });
  const isThereFor = (actor: Actor, server: string) =>
    isShared(server) || agents.of(actor.id).includes(server);
  return {
    tell(server, news) {
      for (const actor of actors.all()) {
        const leads = actor.id === MAIN;
        if (!isThereFor(actor, server) || (actor.hasEnded && !leads)) continue;
        const own = new Set(actor.spec.tools.map(({ name }) => name));
        const notice = serverNotice(server, news, { own, late: lateOf(actor), leads });
        if (notice === null) continue;
        actor.addDeferredTools(notice.tools);
        actors.notify(actor.id, notice);
      }
    },
    missing(server, name) {
      const notice = missingNotice(didNotStart(name));
      for (const actor of agents.holdersOf(server)) actors.notify(actor, notice);
    },
    first(actor, missing) {
      const notice = firstNotice(
        [...missing, ...agents.missing(actor.id)],
        lateOf(actor),
        canHearOf(actor) ? starting() : [],
      );
      if (notice !== null) actor.addDeferredTools(notice.tools);
      return notice;
    },
  };
}

/** True for an actor that is starting and can use tools that come later. */
function canHearOf({ id, spec, turnsTaken }: Actor): boolean {
  return turnsTaken === 0 && (id === MAIN || spec.tools.some(({ name }) => name === SEARCH));
}
