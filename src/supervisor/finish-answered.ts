import type { Summary } from "../mailbox/messages.ts";
import type { Session } from "../session/session.ts";
import type { ActorRecord } from "./actor-record.ts";
import type { ChildEvent } from "./lifecycle.ts";

/** One that had answered before the program died: its model is not asked again, only its edits come back. */
export async function finishAnswered(
  actor: ActorRecord,
  answer: Summary,
  { isolation }: Pick<Session, "isolation">,
  advance: (event: ChildEvent) => void,
): Promise<void> {
  const { run } = actor;
  advance({ type: "rests" });
  actor.keptBy = { type: "tool", tool: "Worktree", title: "its edits are brought back" };
  const summary = await isolation.resume(actor, answer);
  actor.keptBy = null;
  if (actor.child.state === "ended" || actor.run !== run) return;
  if (summary !== null) {
    advance({ type: "summary", summary });
    return;
  }
  actor.goesOnAfter(answer.text);
  advance({ type: "waited" });
}
