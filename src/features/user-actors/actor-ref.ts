import type * as z from "zod/mini";
import type { UserActorAtRest } from "../../journal/user-actors.ts";
import type { Asked, MessageTypes, ReplyTo } from "./define-actor.ts";

/** How long a request waits. */
export interface AskOptions {
  /** Milliseconds until it rejects (default 30,000). The message is handled all the same. */
  readonly deadlineMs?: number;
  /** Stops waiting. The message is handled all the same. */
  readonly signal?: AbortSignal;
}

/** An actor that was started, typed by its messages. All that it rejects with is `ActorError`. */
export interface ActorRef<M extends MessageTypes> {
  readonly name: string;
  /** Resolves when the message is durable: it will be handled, unless the handler crashes or the actor ends first. */
  tell<K extends keyof M & string>(message: K, input: z.input<M[K]["input"]>): Promise<void>;
  /** Resolves with the reply, once the state after the message is durable. */
  ask<K extends Asked<M>>(
    message: K,
    input: z.input<M[K]["input"]>,
    options?: AskOptions,
  ): Promise<ReplyTo<M[K]>>;
  /** `ended`: null while it runs. `waiting`: messages that are not handled yet. */
  status(): { readonly ended: UserActorAtRest["ended"]; readonly waiting: number };
  /** Handles the message in hand, refuses those that wait, and ends it. Idempotent. */
  stop(): Promise<void>;
}

/** What a reference needs of the session's actors. */
export interface StartedActors {
  tell(name: string, message: string, input: unknown): Promise<void>;
  ask(name: string, message: string, input: unknown, options?: AskOptions): Promise<unknown>;
  status(name: string): ReturnType<ActorRef<MessageTypes>["status"]>;
  stop(name: string): Promise<void>;
}

export function actorRef<M extends MessageTypes>(actors: StartedActors, name: string): ActorRef<M> {
  return {
    name,
    tell: (message, input) => actors.tell(name, message, input),
    // The thread has checked the reply with the schema that this type comes from.
    ask: async (message, input, options) => (await actors.ask(name, message, input, options)) as never,
    status: () => actors.status(name),
    stop: () => actors.stop(name),
  };
}

/**
 * Why a message was not taken or has no reply. `unknown`: there is no such actor. `invalid`: the message does not fit.
 * `full`: too many wait. `late`: no reply within the deadline; it may still be handled. `crashed`: its handler threw, took
 * too long or ended its thread. `ended`: the actor was stopped or has failed. `not-recorded`: the journal cannot be
 * written. `cancelled`, `closed`: by the caller's signal, with the session.
 */
export type ActorErrorKind =
  | "unknown"
  | "invalid"
  | "full"
  | "late"
  | "crashed"
  | "ended"
  | "not-recorded"
  | "cancelled"
  | "closed";

/** What starting, telling and asking an actor reject with. */
export class ActorError extends Error {
  override readonly name = "ActorError";
  readonly kind: ActorErrorKind;

  constructor(kind: ActorErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
