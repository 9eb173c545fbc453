import { customAlphabet } from "nanoid";
import * as z from "zod/mini";

/**
 * Names of things that outlive a thread. Branded so that one cannot be passed for another; plain strings
 * on the wire. Only letters and digits: every id is safe as a file name and as a git ref component.
 */
export const SessionId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9]{4,64}$/))
  .brand<"SessionId">();
export type SessionId = z.infer<typeof SessionId>;

/** The main conversation is `main` (actor 0); every spawned agent has a random id. */
export const ActorId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9]{4,64}$/))
  .brand<"ActorId">();
export type ActorId = z.infer<typeof ActorId>;

/** `actor.turn.index`: made by us, because a provider may repeat its tool_use ids (fault 26). */
export const CallId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9]+\.\d+\.\d+$/))
  .brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

export const MAIN: ActorId = ActorId.parse("main");

export function callId(actor: ActorId, turn: number, index: number): CallId {
  return CallId.parse(`${actor}.${turn}.${index}`);
}

/** Where new names come from; an argument everywhere, so that a recorded session can be replayed. */
export interface Ids {
  session(): SessionId;
  actor(): ActorId;
  /** Of something that runs in the background, and of the file its output goes to. */
  task(): string;
}

export function randomIds(): Ids {
  const next = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 16);
  return {
    session: () => SessionId.parse(next()),
    actor: () => ActorId.parse(next()),
    task: () => `b${next(8)}`,
  };
}
