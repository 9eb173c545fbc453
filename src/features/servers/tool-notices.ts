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
  /** It is there for everybody. */
  isShared(server: string): boolean;
  /** The names of those for everybody that the first request did not wait for any longer. */
  starting(): readonly string[];
}

/** Tells conversations what has become of servers that are there for them. */
export interface ToolNotices {
  /** Whoever goes on, what it can find and call from now on, and what not. */
  tell(server: string, news: ServerNews): void;
  /** Whoever brings this one and waited for it. */
  missing(server: string, name: string): void;
  /** What an actor is told before its thread begins, with these sentences; null: nothing. */
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

/** Whoever begins, and is told when tools have come. */
function canHearOf({ id, spec, turnsTaken }: Actor): boolean {
  return turnsTaken === 0 && (id === MAIN || spec.tools.some(({ name }) => name === SEARCH));
}
