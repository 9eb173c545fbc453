import * as z from "zod/mini";
import type { ActorId } from "../../mailbox/ids.ts";
import { FromSession, LiveAgent, type LiveHello, type LivePatch } from "./protocol.ts";
import { LIVE_PROTOCOL } from "./version.ts";

/** What is learnt of a watched session. */
export type LiveNews =
  | { readonly type: "hello"; readonly hello: LiveHello }
  | LiveLook
  | { readonly type: "over"; readonly how: LiveOver };

/** `changed`: the agents that are not as they were, whole; at first all. `agents`: all, in spawn order. */
export interface LiveLook {
  readonly type: "look";
  /** The session's monotonic clock, in milliseconds. */
  readonly now: number;
  readonly costUsd: number;
  readonly changed: readonly LiveAgent[];
  readonly agents: readonly LiveAgent[];
}

/**
 * Why nothing follows. `closed`: the session was; `gone`: its process went without a word; `dead`: nobody listens
 * there any more; `silent`: somebody does, but did not say hello in time; `strange`: it speaks as no session that
 * we know.
 */
export type LiveOver = "closed" | "gone" | "dead" | "silent" | "strange";

const strange = { type: "over", how: "strange" } as const;

/** Makes news of a session's lines. */
export class NewsReader {
  readonly #agents = new Map<ActorId, LiveAgent>();
  #greeted = false;

  take(line: string): LiveNews {
    const message = messageIn(line);
    if (message === null || this.#greeted === (message.type === "hello")) return strange;
    switch (message.type) {
      case "hello":
        this.#greeted = true;
        return message.protocol === LIVE_PROTOCOL ? { type: "hello", hello: message } : strange;
      case "tree":
        this.#agents.clear();
        return this.#look(message, message.agents);
      case "change": {
        const changed = message.agents.map((patch) => this.#patched(patch));
        return changed.includes(null)
          ? strange
          : this.#look(
              message,
              changed.filter((agent) => agent !== null),
            );
      }
      case "end":
        return { type: "over", how: "closed" };
      default:
        return message satisfies never;
    }
  }

  #look({ now, costUsd }: Pick<LiveLook, "now" | "costUsd">, changed: readonly LiveAgent[]): LiveLook {
    for (const agent of changed) this.#agents.set(agent.id, agent);
    return { type: "look", now, costUsd, changed, agents: [...this.#agents.values()] };
  }

  /** Null where it is of an agent that nobody told of. */
  #patched(patch: LivePatch): LiveAgent | null {
    const whole = z.safeParse(LiveAgent, { ...this.#agents.get(patch.id), ...patch });
    return whole.success ? whole.data : null;
  }
}

function messageIn(line: string): FromSession | null {
  try {
    const message = z.safeParse(FromSession, JSON.parse(line));
    return message.success ? message.data : null;
  } catch {
    return null;
  }
}
