import { type ActorAtRest, resultId, type SessionState } from "../journal/session-state.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Summary, Turn } from "../mailbox/messages.ts";
import { replyText } from "../mailbox/turns.ts";
import type { Actor } from "./actor-record.ts";
import type { ActorSystem } from "./actor-system.ts";

/**
 * Finds who had answered already among those that were cut off: the program died before the summary was written, or while
 * the answer waited for what runs in the background. No model is asked a second time for what it has said (its
 * conversation ends with its own reply, which no model takes): the actor waits again, or its one summary is written now.
 * Returns those that are still unfinished, and the main conversation in any case.
 */
export function answeredBeforeCrash(
  unfinished: readonly Actor[],
  state: SessionState,
  actors: ActorSystem,
): Actor[] {
  const open = new Set(unfinished);
  // Those below first: whether one is kept depends on them.
  for (const actor of unfinished.toReversed()) {
    const rest = state.actors.get(actor.id);
    if (!rest) continue;
    const turns = turnsOfRun(rest);
    for (const answer of earlierAnswers(turns)) actor.continueAfter(answer);
    const last = turns.at(-1);
    actor.setSaid(turns.map(replyText).findLast(Boolean) ?? "");
    if (rest.reply !== null || last === undefined || !isAnswer(last)) continue;
    // Whether its answer is the data that was asked for is found out in its loop.
    if (actor.spec.outputSchema) continue;
    if (actor.inbox.hasInput) actor.continueAfter(replyText(last));
    else if (hasMoreToCome(actor, state, actors)) waitAgain(actor, replyText(last), actors);
    // Its edits may not be merged, or its work not be checked yet: it ends once that is known.
    else if (actor.spec.isolation || actor.spec.accept) actor.restoreAnswer(summaryOf(actor, turns));
    else {
      actors.endRestored(actor, summaryOf(actor, turns));
      // The user may not have seen the conversation's last answer: to them it was cut off.
      if (actor.id !== MAIN) open.delete(actor);
    }
  }
  return unfinished.filter((actor) => open.has(actor));
}

/** Without a loop, like any actor that has answered; a slot that comes is given back. */
function waitAgain(actor: Actor, answer: string, actors: ActorSystem): void {
  actor.restoreIdle();
  void actors.whileWaiting(
    actor,
    actor.inbox.waitForInput().then(() => actor.continueAfter(answer)),
  );
}

/** Returns the summary that the end of its last reply would have brought. */
function summaryOf(actor: Actor, turns: readonly Turn[]): Summary {
  const { status, reason } = turns.at(-1)?.ending ?? { status: "done" };
  const { reason: _, ...summary } = actor.salvage(status, "");
  return reason === undefined ? summary : { ...summary, reason };
}

/** True if something in its background has yet to bring it a result, or has brought one that it has not heard. */
function hasMoreToCome(actor: Actor, state: SessionState, { wakesMain, delivery }: ActorSystem): boolean {
  if (actor.id === MAIN && wakesMain) return false;
  const heard = new Set([...state.actors.values()].flatMap((rest) => [...rest.heard]));
  return [...state.actors.values()].some(
    ({ spec, run, owner, background }) =>
      background &&
      !heard.has(resultId(spec.id, run)) &&
      delivery.nearest(owner ?? spec.parent)?.id === actor.id,
  );
}

/** Its answers of this run that it continued from because of notices alone. */
function earlierAnswers(turns: readonly Turn[]): string[] {
  let answers: string[] = [];
  for (const [n, { heard }] of turns.entries()) {
    const before = turns[n - 1];
    if (heard.some(({ notice, of = [] }) => !notice && of.length > 0)) answers = [];
    else if (before && isAnswer(before)) answers = [...answers, replyText(before)];
  }
  return answers;
}

/** Those of its last run. */
function turnsOfRun({ turns, earlier }: ActorAtRest): readonly Turn[] {
  const before = earlier.at(-1)?.summary.turns ?? 0;
  return turns.filter(({ turn }) => turn > before);
}

/** A reply without calls. */
function isAnswer(turn: Turn): boolean {
  return turn.messages.length > 0 && turn.messages.every(({ role }) => role === "assistant");
}
