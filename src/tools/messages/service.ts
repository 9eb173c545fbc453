import type { ActorId } from "../../mailbox/ids.ts";

/** One actor of the session, as another one may know it. Nothing of its work is in here before its end (A22.16). */
export interface MailEntry {
  readonly id: ActorId;
  readonly type: string;
  readonly description: string;
  readonly parent: ActorId | null;
  readonly state: string;
  readonly turns: number;
  readonly isYou: boolean;
  /** What it does right now, in words. */
  readonly now: string;
  /** How it ended; null while it has not. */
  readonly ended: string | null;
}

export type Sent =
  /** Durable; heard at its next turn. */
  | { readonly type: "queued"; readonly id: ActorId }
  /** It had ended, and goes on with this; its result will be told. */
  | { readonly type: "resumed"; readonly id: ActorId }
  | { readonly type: "unknown" }
  | { readonly type: "self" };

/** Who carries words between actors: the supervisor. */
export interface MessageService {
  agents(asker: ActorId): readonly MailEntry[];
  /** Throws, with a sentence, where it cannot be delivered. */
  send(from: ActorId, to: string, text: string): Promise<Sent>;
}
