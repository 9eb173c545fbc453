import type { Joints } from "../../supervisor/joints.ts";
import type { SessionContext } from "./session-context.ts";

/** What conversations know of their environment. Joint: `beforeTurn` (a notice of what has changed). */
export function contextFeature(context: Pick<SessionContext, "takeNotice">): Joints {
  return { beforeTurn: (actor) => ({ notice: context.takeNotice(actor) }) };
}
