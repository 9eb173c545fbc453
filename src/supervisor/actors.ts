import type { ActorSystem } from "./actor-system.ts";

/** What features may see of a session's actors, and ask the core to do with them. */
export type Actors = Pick<
  ActorSystem,
  | "find"
  | "all"
  | "stop"
  | "whileWaiting"
  | "notify"
  | "withdraw"
  | "move"
  | "setModel"
  | "showRemarks"
  | "showWait"
  | "noteSign"
  | "charge"
>;
