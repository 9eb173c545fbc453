import type { ModelWait } from "../events/event.ts";
import type { Usage } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { ActorModel } from "../mailbox/messages.ts";
import type { Location } from "../mailbox/worktree.ts";
import type { Actor } from "./actor-record.ts";
import type { StopRequest, StopScope } from "./lifecycle.ts";
import type { Notice } from "./notices.ts";
import type { Remarks } from "./remarks.ts";

/** What features may see of a session's actors, and ask the core to do with them. */
export interface Actors {
  find(id: ActorId): Actor | undefined;
  /** In spawn order. */
  all(): readonly Actor[];
  stop(id: ActorId, stop: StopRequest, scope?: StopScope): void;
  /** Gives the actor's slot back while `other` is awaited; resolves when the actor may run again. */
  whileWaiting<T>(actor: Actor, other: Promise<T>): Promise<T>;
  notify(id: ActorId, notice: Notice): void;
  /** It knows what this notice would say. */
  withdraw(id: ActorId, notice: string): void;
  /** It works there from its next call on. */
  move(id: ActorId, place: Location): void;
  /** It asks this model from its next request on. */
  setModel(id: ActorId, model: ActorModel): void;
  showRemarks(id: ActorId, remarks: Partial<Remarks>): void;
  /** Why its model is not available, or null once it is again. */
  showWait(id: ActorId, wait: ModelWait | null): void;
  /** The gateway works for it. */
  noteSign(id: ActorId): void;
  charge(id: ActorId, usage: Usage, costUsd: number): void;
}
