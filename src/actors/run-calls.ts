import { nextTask } from "../lib/clock.ts";
import { limitConcurrency } from "../lib/queues.ts";
import type { ToolUseBlock } from "../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../mailbox/ids.ts";
import type { CallResult } from "../mailbox/messages.ts";
import { type Dispatch, dispatch, notRun } from "../tools/dispatch.ts";
import { resolveCall } from "../tools/tool-search.ts";

/**
 * Runs the calls of one reply: parallel ones together, others alone, and returns results in the order of the calls
 * (A1.12, A1.13). Every call gets exactly one result, even if the signal is aborted (A1.10); one with a known result
 * does not run again. At most `parallel` local calls run at the same time; calls that only wait for the supervisor
 * are not counted.
 */
export async function runCalls(
  actor: ActorId,
  turn: number,
  calls: readonly ToolUseBlock[],
  by: Dispatch,
  parallel: number,
  known: ReadonlyMap<number, CallResult> = new Map(),
): Promise<CallResult[]> {
  const inTurn = limitConcurrency(parallel);
  const results: CallResult[] = [];
  for (const group of grouped(calls, by)) {
    const first = results.length;
    const answers: Promise<CallResult>[] = [];
    for (const [place, block] of group.entries()) {
      // Each has begun before the next one: they are evaluated, and wait for files, in their order.
      if (place > 0) await nextTask();
      const index = first + place;
      const run = async () => known.get(index) ?? runOne(callId(actor, turn, index), block, by);
      answers.push(isRemote(block, by) ? run() : inTurn(run));
    }
    results.push(...(await Promise.all(answers)));
  }
  return results;
}

async function runOne(id: CallId, block: ToolUseBlock, by: Dispatch): Promise<CallResult> {
  if (by.signal.aborted) return notRun;
  try {
    return await dispatch(id, block, by);
  } catch {
    return interrupted;
  }
}

const interrupted: CallResult = {
  content: "Stopped while running: the result is unknown.",
  isError: true,
};

function grouped(calls: readonly ToolUseBlock[], by: Dispatch): ToolUseBlock[][] {
  const groups: ToolUseBlock[][] = [];
  let together = false;
  for (const call of calls) {
    const parallel = resolveCall(call, by.offered)?.tool.parallel ?? true;
    const last = groups.at(-1);
    if (last && together && parallel) last.push(call);
    else groups.push([call]);
    together = parallel;
  }
  return groups;
}

function isRemote(block: ToolUseBlock, by: Dispatch): boolean {
  return resolveCall(block, by.offered)?.tool.side === "supervisor";
}
