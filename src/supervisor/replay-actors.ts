import { keepsResultsIn } from "../features/compaction/compacting.ts";
import {
  type ActorAtRest,
  type BegunCall,
  isOfCall,
  missedId,
  resultId,
  type Said,
  type SessionState,
} from "../journal/session-state.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ToolUseBlock } from "../mailbox/conversation.ts";
import { callId, MAIN } from "../mailbox/ids.ts";
import type { CallResult, OpenTurn } from "../mailbox/messages.ts";
import type { Session } from "../session/session.ts";
import { removeTemporaryFiles } from "../tools/temporary-name.ts";
import { ActorRecord } from "./actor-record.ts";
import type { ActorSystem } from "./actor-system.ts";
import { answeredBeforeCrash } from "./answered-before-crash.ts";

/**
 * The actors of a session that is taken up again, as its journal left them: those that had ended can be gone on with,
 * those that had not are answered, to be set going. Results that nobody had heard are told (D1).
 */
export function replayActors(state: SessionState, session: Session, lives: ActorSystem): ActorRecord[] {
  const unfinished: ActorRecord[] = [];
  for (const rest of state.actors.values()) {
    const { owner, call, background } = rest;
    const actor = new ActorRecord(rest.spec, session.clock.now(), { owner, call, background });
    const hears = rest.summary === null || actor.id === MAIN;
    actor.restore(hears ? rest : { ...rest, unheard: [] });
    lives.add(actor);
    session.spending.adopt(rest.spec);
    keepsResultsIn(actor, session.outputs.folder);
    const summaries = rest.spec.compacted ? [rest.spec.compacted] : [];
    const replies = rest.reply === null ? [] : [rest.reply];
    for (const { usage } of [...rest.turns, ...replies, ...summaries]) {
      const { usd } = session.spending.spend(actor.id, rest.spec.model, usage);
      actor.costUsd += usd;
    }
    if (rest.summary !== null) session.spending.purses.release(actor.id);
    if (rest.summary === null) {
      resumeTurn(actor, rest, session);
      unfinished.push(actor);
    } else {
      actor.child = { state: "ended" };
      actor.summary = rest.summary;
      actor.endedAt = actor.createdAt;
      actor.deliver(rest.summary);
      if (actor.id !== MAIN) actor.forget();
    }
  }
  const heard = new Set([...state.actors.values()].flatMap((rest) => [...rest.heard]));
  for (const rest of state.actors.values()) tellWhatWasNotHeard(rest, heard, lives);
  for (const { actor, task, title, path, end } of state.owedCommands) {
    const { status, ending } = end ?? ENDED_WITH_US;
    if (end === null) session.journal.note({ type: "command-end", actor, task, ending, status });
    const output = { bytes: 0, head: "", tail: null, path };
    lives.delivery.notify(actor, { type: "ended", task, title, status, ending, output });
  }
  if (unfinished.length > 0)
    session.isolation.diedIn(
      [...state.actors.values()].flatMap(({ spec }) => spec.isolation?.checkout ?? []),
    );
  // Now that each has all it is owed: what a turn that goes on has heard already.
  for (const { owed, reply } of unfinished) if (reply) owed.restoreInFlight(reply.heard);
  return answeredBeforeCrash(unfinished, state, session, lives);
}

const ENDED_WITH_US = { status: "killed", ending: "It was ended with the program that ran it." } as const;

/** `heard`: also what went further up; whoever has heard it, nobody hears it again. */
function tellWhatWasNotHeard(rest: ActorAtRest, heard: ReadonlySet<string>, lives: ActorSystem): void {
  const { delivery } = lives;
  const actor = lives.find(rest.spec.id);
  if (!actor) return;
  const { run, owner, call, background, summary } = rest;
  const ended =
    summary === null ? rest.earlier : [...rest.earlier, { run, owner, call, background, summary }];
  for (const one of ended) {
    if (one.background && one.owner !== null && !heard.has(resultId(actor.id, one.run)))
      delivery.resultAgain(actor, one);
  }
  for (const { text, from = null, of: [id] = [] } of whatItMissed(rest)) {
    if (id !== undefined && !heard.has(id) && !heard.has(missedId(id)))
      delivery.missed(actor, { id, from, text });
  }
}

/**
 * Of other agents' words; the person was told at once. Also those that were to make one that has ended go on, but for
 * those of a call: it is asked again.
 */
function whatItMissed({ spec, summary, unheard, missed }: ActorAtRest): readonly Said[] {
  const before = missed.filter(({ from }) => from !== undefined);
  if (spec.id === MAIN || summary === null) return before;
  return [...before, ...unheard.filter(({ notice, of: [id = ""] = [] }) => !notice && !isOfCall(id))];
}

/** The turn it was in: what its calls had come to is put in, and no call is run a second time that might do something twice. */
function resumeTurn(actor: ActorRecord, { reply, begun, spec }: ActorAtRest, session: Session): void {
  if (reply === null) return;
  const { toolbox } = session;
  const calls = reply.content.filter((block): block is ToolUseBlock => block.type === "tool_use");
  const results: OpenTurn["results"] = [];
  for (const index of calls.keys()) {
    const call = callId(spec.id, reply.turn, index);
    const known = begun.find((one) => one.call === call);
    if (known && !known.ended) removeWhatItLeft(known, actor.cwd, session);
    const result = known && resultOf(known, toolbox.find(known.tool)?.repeatable ?? false);
    if (result) results.push({ index, result });
  }
  actor.reply = reply;
  const moved = results.findLast(({ result }) => result.moved)?.result.moved;
  if (moved) actor.move(moved);
  actor.open = { turn: reply.turn, results, cwd: actor.cwd, reads: [], commands: [] };
}

/** A call that was killed while it wrote a file has left its temporary one, which would pass for an edit. */
function removeWhatItLeft({ call, tool, input }: BegunCall, cwd: string, { common, toolbox }: Session): void {
  const ready = toolbox.find(tool)?.prepare(input);
  if (ready?.type !== "ready") return;
  try {
    for (const { kind, target } of ready.accesses(cwd))
      if (kind === "write") removeTemporaryFiles(target, call);
  } catch (error) {
    common.options.onEvent?.({
      type: "warning",
      message: errorMessage(error),
    });
  }
}

/** Null: it may run again. */
function resultOf({ result, ended, tool }: BegunCall, repeatable: boolean): CallResult | null {
  if (result) return result;
  if (repeatable) return null;
  return {
    isError: true,
    content: ended
      ? `${tool} had ended, but its result was lost when the program died. Look at what it did before you call it again.`
      : `Result unknown: the program died while ${tool} was running. It was not run again; look at what it has done before you do.`,
  };
}
