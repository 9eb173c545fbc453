import type { AfterAnswer, CallResult } from "../mailbox/messages.ts";
import type { HookCaller, StopResult } from "../policy/hooks/results.ts";
import type { HookRunner } from "../policy/hooks/runner.ts";
import type { ActorRecord, RunningCall } from "./actor-record.ts";

/** What hooks of one actor may reach. */
export interface HookSide {
  readonly hooks: Pick<
    HookRunner,
    "has" | "postToolUse" | "preCompact" | "sessionStart" | "stop" | "subagentStop"
  >;
  /** Aborted when the actor has ended. */
  readonly signal: AbortSignal;
  /** A hook wants the conversation to end. */
  halt(reason: string): void;
  /** On whose behalf hooks run. */
  caller(cwd: string): HookCaller;
}

/** Whether hooks have something to say to the result of a call. */
export function isWatched({ hooked, context }: RunningCall, { hooks }: Pick<HookSide, "hooks">): boolean {
  return context !== undefined || hooks.has("PostToolUse", hooked.names);
}

/** What hooks have to say to a result (A5.8); the call is over for everybody else by then. */
export async function heard(running: RunningCall, result: CallResult, side: HookSide): Promise<AfterAnswer> {
  const { hooked, cwd, context } = running;
  const said = await side.hooks.postToolUse(hooked, result.content, side.caller(cwd), side.signal);
  if (said.stop !== undefined) side.halt(said.stop);
  const words = [context, said.append, said.block].filter((text) => text !== undefined && text !== "");
  return words.length === 0 ? {} : { append: words.join("\n\n") };
}

/** What hooks say to an actor that is about to end (A5.10). */
export function stopping(
  { goneOn, cwd }: ActorRecord,
  lastText: string,
  side: HookSide,
): Promise<StopResult> {
  const caller = { ...side.caller(cwd), goneOn, lastText };
  return caller.agentType === undefined
    ? side.hooks.stop(caller, side.signal)
    : side.hooks.subagentStop(caller, side.signal);
}
