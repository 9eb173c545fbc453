import { resultText } from "../../mailbox/compacted.ts";
import type { AfterAnswer } from "../../mailbox/messages.ts";
import type { CallEnd, HookCaller, Stopping, StopResult } from "../../policy/hooks/results.ts";
import type { HookRunner } from "../../policy/hooks/runner.ts";
import type { RunningCall } from "../../supervisor/running-call.ts";
import type { ToolEnd } from "../../tools/bind-tool.ts";
import { findHookChanges } from "./hook-changes.ts";
import { hookText } from "./hook-words.ts";

/** True if hooks may react to the result of a call. */
export function hasPostToolHooks({ names, context }: RunningCall, hooks: Pick<HookRunner, "has">): boolean {
  const has = (event: CallEnd["event"]) => hooks.has(event, names);
  return context !== undefined || has("PostToolUse") || has("PostToolUseFailure");
}

export interface PostToolParts {
  readonly hooks: Pick<HookRunner, "has" | "postToolUse">;
  readonly signal: AbortSignal;
  readonly caller: HookCaller;
  /** Ends the conversation for a hook. */
  halt(reason: string): void;
}

/** Runs the hooks for the end of a call (A5.8): returns their texts and what they changed in its files. */
export async function runPostToolUse(
  { names, toolUse, input, context, writes }: RunningCall,
  result: ToolEnd,
  { hooks, signal, caller, halt }: PostToolParts,
): Promise<AfterAnswer> {
  const end = endOf(result, signal);
  const watched = hooks.has(end.event, names) ? (writes ?? []) : [];
  const { said, changes } = await findHookChanges(end.event, watched, () =>
    hooks.postToolUse({ names, input, toolUseId: toolUse }, end, caller, signal),
  );
  if (said.stop !== undefined) halt(said.stop);
  const after = [said.append, said.block].filter((text) => text !== undefined);
  const append = [hookText("PreToolUse", context), hookText(end.event, after.join("\n\n"))].join("").trim();
  return {
    ...(append === "" ? {} : { append }),
    ...(changes.length === 0 ? {} : { changed: changes }),
  };
}

/** A command's exit code is a result like any other; only an aborted or invalid call has failed. */
function endOf({ content, isError, response }: ToolEnd, signal: AbortSignal): CallEnd {
  if (isError)
    return { event: "PostToolUseFailure", error: resultText(content), interrupted: signal.aborted };
  const own = typeof response === "object" ? response : null;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { event: "PostToolUse", response: { ...(own ?? { success: true, content: blocks }) } };
}

/** Runs the hooks for the end of an actor's run (A5.10). */
export async function runStopHooks(
  stopping: Stopping,
  hooks: Pick<HookRunner, "stop" | "subagentStop">,
  signal: AbortSignal,
): Promise<StopResult> {
  const event = stopping.agentType === undefined ? "Stop" : "SubagentStop";
  const said = await (event === "Stop" ? hooks.stop(stopping, signal) : hooks.subagentStop(stopping, signal));
  return said.goOn === undefined ? said : { ...said, goOn: hookText(event, said.goOn).trim() };
}
