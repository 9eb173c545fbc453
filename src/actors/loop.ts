import { boundsIn, compactAsRequested, compactToFit } from "../context/compaction/compact.ts";
import { limitResults } from "../context/limit-results.ts";
import { type CallResult, PARALLEL_CALLS, type Pending, type Turn } from "../mailbox/messages.ts";
import type { Finish, Services } from "../mailbox/services.ts";
import { blocksOf } from "../mailbox/turns.ts";
import type { ModelClient, ModelReply, OnModelEvent } from "../model/client.ts";
import { cutAt } from "../model/invalid-input.ts";
import type { Dispatch } from "../tools/dispatch.ts";
import { type AgentConversation, callsOf } from "./agent-state.ts";
import {
  type CheckData,
  type Ending,
  endingOfAnswer,
  endingOfCancel,
  endingOfCutCalls,
  endingOfFailure,
  endingOfReply,
  type Last,
  MOST_CUT,
  outOfRoom,
  outOfTurns,
  type TypedEnding,
  typedEnding,
  withEnding,
} from "./ending.ts";
import { nextReply } from "./next-reply.ts";
import { runCalls } from "./run-calls.ts";

/** Everything the loop needs from outside; it owns nothing. */
export interface LoopContext {
  readonly model: ModelClient;
  readonly services: Pick<Services, "reply" | "turn" | "finish" | "compacting" | "compacted">;
  readonly dispatch: Dispatch;
  readonly check: CheckData;
  readonly signal: AbortSignal;
  readonly onModelEvent: OnModelEvent;
  /** Called with every reply and turn, for the live tree and for the summary of an agent that dies. */
  readonly onProgress: (state: AgentConversation) => void;
}

/**
 * The loop (A1.1 to A1.3): call the model, run its calls, append the results in order, repeat; a reply without calls
 * ends it. The same for the main conversation and for every agent. Resolves once the supervisor has the summary;
 * rejects only when it is gone.
 */
export async function runAgent(state: AgentConversation, context: LoopContext): Promise<void> {
  const { services, signal } = context;
  const end = (turn: Turn | null, ending: Ending, more: Pick<Finish, "compacted"> = {}) => {
    const { turns, usage, receipts } = state;
    const ended = turn && withEnding(turn, ending);
    return services.finish({ turn: ended, summary: { ...ending, turns, usage, receipts }, ...more });
  };
  let pending = state.spec.pending;
  if (!pending && (state.onlyCompacts || state.hasAnswered)) {
    // Its reply may be recorded, but not its end: the model is not called to continue its own text.
    const ending: TypedEnding = state.onlyCompacts
      ? { type: "ends", ending: await endingOfCompaction(state, context) }
      : await asData(endingOfAnswer(state.turnsShown.at(-1), state.said), state, context, false);
    if (ending.type === "again") state.addSteering([{ text: ending.note, notice: true }]);
    else {
      const answer = await end(null, ending.ending, state.onlyCompacts ? { compacted: true } : {});
      if (answer.type === "closed") return;
      state.applyAnswer(answer);
    }
  }
  for (;;) {
    let reply: Pick<ModelReply, "content" | "usage" | "lastUsage" | "stopReason" | "refusal">;
    let last: Last | null = null;
    const begun = pending;
    pending = undefined;
    if (begun) reply = { ...begun.reply, stopReason: "tool_use" };
    else {
      last = lastTurn(state);
      if (last?.silent)
        return void (await end(null, { status: last.status, reason: last.reason, text: state.said }));
      const { note } = state.repetition;
      if (note !== null) state.addSteering([{ text: note, notice: true }]);
      const fits = await compactToFit(state, last === null, context);
      last ??= fits ? null : outOfRoom(state.spec);
      if (last) state.addSteering([{ text: last.note, notice: true }]);
      const outcome = await nextReply(state, last, context);
      if (signal.aborted) return void (await end(null, endingOfCancel(signal, state.said)));
      if (outcome.type === "failure")
        return void (await end(null, endingOfFailure(outcome.failure, state.said)));
      reply = last ? withoutCalls(outcome.reply) : outcome.reply;
    }

    const saidBefore = state.said;
    state.say(reply);
    context.onProgress(state);
    const results = await resultsOf(reply, begun, state, context);
    const calls = callsOf(reply.content);
    const turn = state.take(reply, calls, results);
    context.onProgress(state);
    if (signal.aborted) return void (await end(turn, endingOfCancel(signal, state.said)));

    const tokens = cutInARow(state.turnsShown);
    if (tokens !== null) return void (await end(turn, endingOfCutCalls(tokens, state.said)));

    const isLast = last !== null || reply.stopReason === "refusal" || reply.stopReason === "incomplete";
    const ending =
      calls.length > 0 ? null : await asData(endingOfReply(reply, saidBefore, last), state, context, isLast);
    const answer =
      ending?.type === "ends"
        ? await end(turn, ending.ending)
        : ({ type: "more", ...(await services.turn(turn)) } as const);
    if (answer.type === "closed") return;
    if (ending?.type === "again") state.addSteering([{ text: ending.note, notice: true }]);
    state.applyAnswer(answer);
  }
}

/** Checks the answer if it must be data. */
async function asData(
  ending: Ending,
  { retries, spec: { outputSchema } }: AgentConversation,
  { check }: LoopContext,
  isLast: boolean,
): Promise<TypedEnding> {
  if (outputSchema === undefined) return { type: "ends", ending };
  return typedEnding(ending, outputSchema, { retries, isLast, check });
}

/** Ends a run that only compacts. */
async function endingOfCompaction(state: AgentConversation, context: LoopContext): Promise<Ending> {
  const text = await compactAsRequested(state, context);
  return context.signal.aborted ? endingOfCancel(context.signal, text) : { status: "done", text };
}

/** Runs the calls of a reply; those that had a result before a crash do not run again. */
async function resultsOf(
  reply: Pick<ModelReply, "content" | "usage">,
  begun: Pending | undefined,
  state: AgentConversation,
  { services, dispatch }: LoopContext,
): Promise<CallResult[]> {
  const { spec } = state;
  const calls = callsOf(reply.content);
  if (calls.length === 0) return [];
  const known = new Map(begun?.open.results.map(({ index, result }) => [index, result]));
  const recorded = begun ? null : services.reply(state.replied(reply));
  const parallel = spec.parallelCalls ?? PARALLEL_CALLS;
  const ran = runCalls(spec.id, state.turns + 1, calls, dispatch, parallel, known);
  const [results] = await Promise.all([ran, recorded]);
  return limitResults(results, boundsIn(state));
}

/** Returns the tokens at which the last replies were cut inside a call, or null if there were too few. */
function cutInARow(turns: readonly Turn[]): number | null {
  const cuts = turns.slice(-MOST_CUT).map(({ messages }) => {
    const call = messages.flatMap(blocksOf).findLast(({ type }) => type === "tool_use");
    return call?.type === "tool_use" ? cutAt(call) : null;
  });
  return cuts.length === MOST_CUT && cuts.every((cut) => cut !== null) ? (cuts.at(-1) ?? null) : null;
}

/** Returns the limit that makes the next reply the last one: text only. */
function lastTurn(state: AgentConversation): Last | null {
  const { spec } = state;
  if (state.last) return state.last;
  if (spec.tokenBudget !== undefined && state.tokens >= spec.tokenBudget) {
    return {
      status: "over_budget",
      reason: `It used ${state.tokens} of its ${spec.tokenBudget} tokens.`,
      note: "Your token budget is spent. Call no more tools: answer now with what you have found, and say what is missing.",
    };
  }
  if (state.turns >= spec.maxTurns) {
    return {
      status: "out_of_turns",
      reason: outOfTurns(spec.maxTurns),
      note: "You have no turns left. Call no more tools: answer now with what you have found, and say what is missing.",
    };
  }
  return state.repetition.end;
}

/** Removes calls that will not run: every tool_use in the conversation needs a result (A1.10). */
function withoutCalls(reply: ModelReply): ModelReply {
  return { ...reply, content: reply.content.filter((block) => block.type !== "tool_use") };
}
