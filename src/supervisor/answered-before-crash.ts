import { checkedEnd } from "../features/receipts/checked.ts";
import { type ActorAtRest, resultId, type SessionState } from "../journal/session-state.ts";
import { textOf } from "../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { Summary, Turn } from "../mailbox/messages.ts";
import type { Session } from "../session/session.ts";
import type { ActorRecord } from "./actor-record.ts";
import type { ActorSystem } from "./actor-system.ts";

/**
 * Of those that were cut off: who had answered already. The program died before the summary was written, or while
 * the answer waited for what runs in the background. Nobody asks its model a second time for what it has said (its
 * conversation ends with its own words, which no model takes): it waits again, or its one summary is written now.
 * Answers those that are still unfinished, and the main conversation in any case.
 */
export function answeredBeforeCrash(
  unfinished: readonly ActorRecord[],
  state: SessionState,
  session: Session,
  lives: ActorSystem,
): ActorRecord[] {
  const open = new Set(unfinished);
  // Those below first: whether one is kept depends on them.
  for (const actor of unfinished.toReversed()) {
    const rest = state.actors.get(actor.id);
    if (!rest) continue;
    const turns = turnsOfRun(rest);
    for (const answer of earlierAnswers(turns)) actor.goesOnAfter(answer);
    const last = turns.at(-1);
    actor.said = turns.map(saidIn).findLast(Boolean) ?? "";
    if (rest.reply !== null || last === undefined || !isAnswer(last)) continue;
    // Whether its answer is the data that was asked for is found out where it runs.
    if (actor.spec.outputSchema) continue;
    if (actor.owed.hasNews) actor.goesOnAfter(saidIn(last));
    else if (isKept(actor, state, session, lives)) waitAgain(actor, saidIn(last), lives);
    // Its edits may not have come back yet: it ends once that is known.
    else if (actor.spec.isolation) actor.answerBefore = summaryOf(actor, turns);
    else {
      conclude(actor, turns, session, lives);
      // The person may not have seen the conversation's last answer: to them it was cut off.
      if (actor.id !== MAIN) open.delete(actor);
    }
  }
  return unfinished.filter((actor) => open.has(actor));
}

/** Without a thread, like anybody who has answered; a slot that comes its way is given back. */
function waitAgain(actor: ActorRecord, answer: string, lives: ActorSystem): void {
  actor.child = { state: "waiting", waits: 0, passive: true };
  void lives.whileWaiting(
    actor,
    actor.owed.waitForInput().then(() => actor.goesOnAfter(answer)),
  );
}

/** Hooks that have a word in the end of an agent had it before the program died, or have it no more. */
function conclude(actor: ActorRecord, turns: readonly Turn[], session: Session, lives: ActorSystem): void {
  const { run, errand, id } = actor;
  const summary = checkedEnd(actor, summaryOf(actor, turns), session.common.options, (message) =>
    session.common.options.onEvent?.({ type: "warning", message }),
  );
  session.journal.note({ type: "summary", actor: id, run, summary, durationMs: 0 });
  session.spending.purses.release(id);
  actor.child = { state: "ended" };
  actor.summary = summary;
  actor.endedAt = actor.createdAt;
  actor.deliver(summary);
  if (errand.background && errand.owner !== null)
    lives.delivery.resultAgain(actor, { run, owner: errand.owner, summary });
  if (id !== MAIN) actor.forget();
}

/** As it would have been written: empty text is not `done`, and one turn too many was the last one. */
function summaryOf(actor: ActorRecord, turns: readonly Turn[]): Summary {
  const { turnsTaken, spec, said } = actor;
  if (turnsTaken > spec.maxTurns) {
    const limit = `${spec.maxTurns} turn${spec.maxTurns === 1 ? "" : "s"}`;
    return actor.salvaged("out_of_turns", `It reached its limit of ${limit}.`);
  }
  if (turns.at(-1) === undefined || saidIn(turns.at(-1)) === "")
    return actor.salvaged(said === "" ? "failed" : "partial", "The model ended without an answer.");
  const { reason: _, ...done } = actor.salvaged("done", "");
  return done;
}

/** Something that runs in the background has still to bring it news, or has brought them and they were not heard. */
function isKept(actor: ActorRecord, state: SessionState, { common }: Session, lives: ActorSystem): boolean {
  if (actor.id === MAIN && common.options.background === "wake") return false;
  const heard = new Set([...state.actors.values()].flatMap((rest) => [...rest.heard]));
  return [...state.actors.values()].some(
    ({ spec, run, owner, background }) =>
      background && !heard.has(resultId(spec.id, run)) && isOwner(owner ?? spec.parent),
  );

  function isOwner(owner: ActorId | null): boolean {
    return lives.delivery.nearest(owner)?.id === actor.id;
  }
}

/** What it had answered in this run, and what it had gone on from because of news alone. */
function earlierAnswers(turns: readonly Turn[]): string[] {
  let answers: string[] = [];
  for (const [n, { heard }] of turns.entries()) {
    const before = turns[n - 1];
    if (heard.some(({ notice, of = [] }) => !notice && of.length > 0)) answers = [];
    else if (before && isAnswer(before)) answers = [...answers, saidIn(before)];
  }
  return answers;
}

/** Those since it was set going last. */
function turnsOfRun({ turns, earlier }: ActorAtRest): readonly Turn[] {
  const before = earlier.at(-1)?.summary.turns ?? 0;
  return turns.filter(({ turn }) => turn > before);
}

/** A reply without calls. */
function isAnswer(turn: Turn): boolean {
  return turn.messages.length > 0 && turn.messages.every(({ role }) => role === "assistant");
}

function saidIn(turn: Turn | undefined): string {
  const said = turn?.messages.find(({ role }) => role === "assistant")?.content ?? "";
  return typeof said === "string" ? said : textOf(said);
}
