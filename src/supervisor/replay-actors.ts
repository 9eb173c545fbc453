import type { Journal } from "../journal/journal.ts";
import {
  type ActorAtRest,
  type BegunCall,
  isOfCall,
  missedId,
  resultId,
  type Said,
  type SessionState,
} from "../journal/session-state.ts";
import type { Clock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ToolUseBlock } from "../mailbox/conversation.ts";
import { callId, MAIN } from "../mailbox/ids.ts";
import type { ActorModel, CallResult, OpenTurn, Summary, Turn } from "../mailbox/messages.ts";
import { replyText } from "../mailbox/turns.ts";
import { removeTemporaryFiles } from "../tools/atomic-write.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import { type Actor, createActor } from "./actor-record.ts";
import type { ActorSystem } from "./actor-system.ts";

export interface ReplayParts {
  readonly actors: ActorSystem;
  readonly clock: Pick<Clock, "now">;
  readonly toolbox: Pick<Toolbox, "find">;
  readonly journal: Pick<Journal, "note">;
  /** Of the session as it is resumed. */
  readonly models: { readonly usual: string; modelOf(id: string): ActorModel };
  onWarning(message: string): void;
}

/**
 * Replays the actors of a resumed session, as its journal left them. Those that had ended can be resumed; those that had
 * not are returned, to be started. Results that no turn had heard are delivered (D1).
 */
export function replayActors(state: SessionState, parts: ReplayParts): readonly Actor[] {
  const { actors, clock } = parts;
  const unfinished: Actor[] = [];
  for (const known of state.actors.values()) {
    const rest = withModel(known, parts);
    const { owner, call, background, summary } = rest;
    const actor = createActor(rest.spec, clock.now(), { owner, call, background });
    const hears = summary === null || actor.id === MAIN;
    actor.restore(hears ? rest : { ...rest, unheard: [] });
    actors.add(actor);
    if (summary === null) {
      restoreTurn(actor, rest, parts);
      unfinished.push(actor);
      continue;
    }
    actor.end(summary, actor.createdAt);
    actor.deliver(summary);
    if (actor.id !== MAIN) actor.forget();
  }
  const heard = new Set([...state.actors.values()].flatMap((rest) => [...rest.heard]));
  for (const rest of state.actors.values()) deliverPending(rest, heard, actors);
  actors.emit({ type: "replayed", state, actors: actors.all() });
  // Now that each has all its input: what a turn that continues has heard already.
  for (const { inbox, reply } of unfinished) if (reply) inbox.restoreInFlight(reply.heard);
  return answeredBeforeCrash(unfinished, state, actors);
}

/**
 * The main conversation's model is the session's; others keep theirs, unless only one of both is the offline model. One
 * that was lent is given back.
 */
function withModel(rest: ActorAtRest, { models, journal }: ReplayParts): ActorAtRest {
  const { spec, lentModel } = rest;
  const isElsewhere = (spec.model === OFFLINE) !== (models.usual === OFFLINE);
  const model = spec.id === MAIN || isElsewhere ? models.usual : spec.model;
  if (spec.model === model && lentModel === null) return rest;
  journal.note({ type: "model", actor: spec.id, model });
  return spec.model === model ? rest : { ...rest, spec: { ...spec, ...models.modelOf(model) } };
}

const OFFLINE = "offline";

/** `heard`: also what went further up; what one actor has heard, no other one hears again. */
function deliverPending(rest: ActorAtRest, heard: ReadonlySet<string>, actors: ActorSystem): void {
  const { delivery } = actors;
  const actor = actors.find(rest.spec.id);
  if (!actor) return;
  const { run, owner, call, background, summary } = rest;
  const ended =
    summary === null ? rest.earlier : [...rest.earlier, { run, owner, call, background, summary }];
  for (const one of ended) {
    if (one.background && one.owner !== null && !heard.has(resultId(actor.id, one.run)))
      delivery.resultAgain(actor, one);
  }
  for (const { text, from = null, of: [id] = [] } of missedMessages(rest)) {
    if (id !== undefined && !heard.has(id) && !heard.has(missedId(id)))
      delivery.missed(actor, { id, from, text });
  }
}

/**
 * Returns messages of other agents; the user's own were reported at the time. Also those that were to resume one that had ended, but
 * for those of a call: it is asked again.
 */
function missedMessages({ spec, summary, unheard, missed }: ActorAtRest): readonly Said[] {
  const before = missed.filter(({ from }) => from !== undefined);
  if (spec.id === MAIN || summary === null) return before;
  return [...before, ...unheard.filter(({ notice, of: [id = ""] = [] }) => !notice && !isOfCall(id))];
}

/** Puts in what the calls of its turn had come to; no call runs a second time that might do something twice. */
function restoreTurn(actor: Actor, { reply, begun, spec }: ActorAtRest, parts: ReplayParts): void {
  if (reply === null) return;
  const calls = reply.content.filter((block): block is ToolUseBlock => block.type === "tool_use");
  const results: OpenTurn["results"] = [];
  for (const index of calls.keys()) {
    const call = callId(spec.id, reply.turn, index);
    const known = begun.find((one) => one.call === call);
    if (known && !known.ended) removeLeftovers(known, actor.cwd, parts);
    const result = known && resultOf(known, parts.toolbox.find(known.tool)?.repeatable ?? false);
    if (result) results.push({ index, result });
  }
  actor.restoreTurn(reply, results);
}

/** A call that was killed while it wrote a file has left its temporary one, which would pass for an edit. */
function removeLeftovers({ call, tool, input }: BegunCall, cwd: string, parts: ReplayParts): void {
  const ready = parts.toolbox.find(tool)?.prepare(input);
  if (ready?.type !== "ready") return;
  try {
    for (const { kind, target } of ready.accesses(cwd))
      if (kind === "write") removeTemporaryFiles(target, call);
  } catch (error) {
    parts.onWarning(errorMessage(error));
  }
}

/** Returns null if it may run again. */
function resultOf({ result, ended, tool }: BegunCall, repeatable: boolean): CallResult | null {
  if (result) return result;
  if (repeatable) return null;
  return {
    isError: true,
    content: ended
      ? `${tool} had ended, but its result was lost when the program was stopped, or died. Look at what it did before you call it again.`
      : `Result unknown: the program was stopped, or died, while ${tool} was running. It was not run again; look at what it has done before you do.`,
  };
}

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
