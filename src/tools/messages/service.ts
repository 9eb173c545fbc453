import type { ActorId } from "../../mailbox/ids.ts";

/** One actor of the session as others may see it: no part of its work before its end (A22.16). */
export interface MailEntry {
  readonly id: ActorId;
  readonly type: string;
  readonly description: string;
  readonly parent: ActorId | null;
  readonly state: string;
  readonly turns: number;
  readonly isYou: boolean;
  /** What it does right now, as text. */
  readonly now: string;
  /** How it ended; null before. */
  readonly ended: string | null;
}

export type Sent =
  /** Durable; delivered at its next turn. */
  | { readonly type: "queued"; readonly id: ActorId }
  /** It had ended and resumes with this; a notice brings its result. */
  | { readonly type: "resumed"; readonly id: ActorId }
  /** An actor of the program has it, as its message `text`. */
  | { readonly type: "to-user-actor"; readonly name: string }
  | { readonly type: "unknown" }
  | { readonly type: "self" };

/** Delivers messages between actors. */
export interface MessageService {
  agents(asker: ActorId): readonly MailEntry[];
  /** The names of the program's own actors, which take text too. */
  actors(): readonly string[];
  /** Throws an error with a sentence if it cannot be delivered. */
  send(from: ActorId, to: string, text: string): Promise<Sent>;
}
