import { customAlphabet } from "nanoid";
import * as z from "zod/mini";

/**
 * Names of things that outlive a thread. Branded so that one cannot be passed for another; plain strings in messages.
 * Only letters and digits: every ID is safe as a file name and as a git ref component.
 */
export const SessionId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9]{4,64}$/))
  .brand<"SessionId">();
export type SessionId = z.infer<typeof SessionId>;

/** The main conversation is `main` (actor 0); every spawned agent has a random ID. */
export const ActorId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9]{4,64}$/))
  .brand<"ActorId">();
export type ActorId = z.infer<typeof ActorId>;

/** `actor.turn.index`: Troupe's own, because a provider may repeat its tool_use IDs (fault 26). */
export const CallId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9]+\.\d+\.\d+$/))
  .brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

export const MAIN: ActorId = ActorId.parse("main");

export function callId(actor: ActorId, turn: number, index: number): CallId {
  return CallId.parse(`${actor}.${turn}.${index}`);
}

/** The source of new names; always an argument, so that a recorded session can be replayed. */
export interface Ids {
  session(): SessionId;
  actor(): ActorId;
  /** Of a background task, and of the file of its output. */
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

/** In words, after "it is" or "must be". */
export const POOL_NAME =
  'the name of a pool: up to 128 letters, digits, "-", "_", "." and "@", a letter or digit first';

/** True for the name of a pool of runners. */
export function isPoolName(text: string): boolean {
  return /^[a-z\d][\w.@-]{0,127}$/i.test(text);
}
