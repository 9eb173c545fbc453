import { resultText } from "../../mailbox/compacted.ts";
import type { AfterAnswer } from "../../mailbox/messages.ts";
import type { CallEnd, HookCaller, StopResult } from "../../policy/hooks/results.ts";
import type { HookRunner } from "../../policy/hooks/runner.ts";
import type { ActorRecord, RunningCall } from "../../supervisor/actor-record.ts";
import type { ToolEnd } from "../../tools/bind-tool.ts";
import { findHookChanges } from "./hook-changes.ts";
import { hookText } from "./hook-words.ts";

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
export function hasPostToolHooks(
  { hooked, context }: RunningCall,
  { hooks }: Pick<HookSide, "hooks">,
): boolean {
  const has = (event: CallEnd["event"]) => hooks.has(event, hooked.names);
  return context !== undefined || has("PostToolUse") || has("PostToolUseFailure");
}

/** Runs the hooks for the end of a call (A5.8): what they say to its result, and what they changed in its files. */
export async function runPostToolUse(
  running: RunningCall,
  result: ToolEnd,
  side: HookSide,
): Promise<AfterAnswer> {
  const { hooked, cwd, context, writes } = running;
  const end = endOf(result, side.signal);
  const watched = side.hooks.has(end.event, hooked.names) ? (writes ?? []) : [];
  const { said, changes } = await findHookChanges(end.event, watched, () =>
    side.hooks.postToolUse(hooked, end, side.caller(cwd), side.signal),
  );
  if (said.stop !== undefined) side.halt(said.stop);
  const after = [said.append, said.block].filter((text) => text !== undefined);
  const append = [hookText("PreToolUse", context), hookText(end.event, after.join("\n\n"))].join("").trim();
  return {
    ...(append === "" ? {} : { append }),
    ...(changes.length === 0 ? {} : { changed: changes }),
  };
}

/** A command's exit code is a result like any other; only a call that did not come to its own end has failed. */
function endOf({ content, isError, response }: ToolEnd, signal: AbortSignal): CallEnd {
  if (isError)
    return { event: "PostToolUseFailure", error: resultText(content), interrupted: signal.aborted };
  const own = typeof response === "object" ? response : null;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { event: "PostToolUse", response: { ...(own ?? { success: true, content: blocks }) } };
}

/** What hooks say to an actor that is about to end (A5.10). */
export async function runStopHooks(
  { goneOn, cwd }: ActorRecord,
  lastText: string,
  side: HookSide,
): Promise<StopResult> {
  const caller = { ...side.caller(cwd), goneOn, lastText };
  const event = caller.agentType === undefined ? "Stop" : "SubagentStop";
  const said =
    event === "Stop"
      ? await side.hooks.stop(caller, side.signal)
      : await side.hooks.subagentStop(caller, side.signal);
  return said.goOn === undefined ? said : { ...said, goOn: hookText(event, said.goOn).trim() };
}
