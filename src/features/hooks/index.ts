import type { AfterAnswer } from "../../mailbox/calls.ts";
import { resultText } from "../../mailbox/compacted.ts";
import { ActorId, MAIN } from "../../mailbox/ids.ts";
import type { CallEnd, HookCaller, Stopping, StopResult } from "../../policy/hooks/hook-results.ts";
import type { HookRunner } from "../../policy/hooks/hook-runner.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { RunningCall } from "../../supervisor/running-call.ts";
import type { ToolEnd } from "../../tools/bind-tool.ts";
import { treePath } from "../../worktrees/layout.ts";
import type { GitRequest } from "../../worktrees/protocol.ts";
import { findHookChanges } from "./hook-changes.ts";
import { hookNotice, hookText } from "./hook-words.ts";
import type { SessionHooks } from "./session-hooks.ts";

const NEVER = new AbortController().signal;

export interface HookFeatureParts {
  readonly hooks: Pick<
    SessionHooks,
    "has" | "postToolUse" | "startIdle" | "stop" | "stopIdle" | "subagentStart"
  >;
  readonly actors: Pick<Actors, "all" | "notify" | "stop">;
  /** On whose behalf hooks run. */
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
}

/**
 * The user's hooks. Joints: `prepareStart` (SubagentStart), `prepareCall` (whether a result is wanted), `afterCall` (PostToolUse), `beforeFinish`
 * (Stop, SubagentStop), `onEnd` (Notification, if the conversation then waits for its user). The gate runs PreToolUse, the session the hooks of prompts, compaction its own.
 */
export function hooksFeature({ hooks, actors, caller }: HookFeatureParts): Joints {
  /** How many times in a row hooks have made an actor continue in its run. */
  const continued = new Map<ActorId, { readonly run: number; readonly times: number }>();
  return {
    prepareStart(actor) {
      const { type } = actor.spec;
      if (actor.id === MAIN) hooks.stopIdle();
      const isNew = actor.id !== MAIN && actor.run === 1 && actor.turnsTaken === 0 && !actor.restored;
      if (!isNew || !hooks.has("SubagentStart", [type])) return null;
      const ready = hooks
        .subagentStart(caller(actor.id, actor.cwd), actor.stopping.signal)
        .then(({ context, stop }) => {
          if (context !== undefined)
            actors.notify(actor.id, { ...hookNotice("SubagentStart", context), isQuiet: true });
          return stop === undefined ? null : `A hook ended it: ${stop}`;
        });
      return { tool: "Hook", title: "a SubagentStart hook runs", ready };
    },
    onEnd({ actor, isIdle }) {
      const isBusy = () => actors.all().some(({ id, hasEnded }) => id !== MAIN && !hasEnded);
      if (actor.id === MAIN && isIdle) hooks.startIdle(caller(MAIN, actor.cwd), isBusy);
      return {};
    },
    prepareCall: ({ running }) => (hasPostToolHooks(running, hooks) ? { watched: true } : {}),
    async afterCall({ actor, running, result, signal, stop }) {
      if (stop !== undefined) halt(actors, actor.id, stop);
      if (result === null || !hasPostToolHooks(running, hooks)) return {};
      return runPostToolUse(running, result, {
        ...{ hooks, signal },
        caller: {
          ...caller(actor.id, running.cwd),
          ...(running.local && actor.spec.isolation?.away ? { commandsElsewhere: true } : {}),
        },
        halt: (reason) => halt(actors, actor.id, reason),
      });
    },
    async beforeFinish({ actor, text, summary, isRestored, signal }) {
      // The hooks of a reply from before a crash have run.
      if (isRestored) return { summary };
      const before = continued.get(actor.id);
      const times = before?.run === actor.run ? before.times : 0;
      const stopping = { ...caller(actor.id, actor.cwd), continued: times, lastText: text };
      const { goOn, append } = await runStopHooks(stopping, hooks, signal);
      if (goOn !== undefined && !signal.aborted) {
        continued.set(actor.id, { run: actor.run, times: times + 1 });
        return { continueWith: goOn };
      }
      return {
        summary: append === undefined ? summary : { ...summary, text: `${summary.text}\n\n${append}` },
      };
    },
  };
}

/** Ends the whole conversation for a hook. */
export function halt(actors: Pick<Actors, "stop">, actor: ActorId, reason: string): void {
  actors.stop(actor, { status: "cancelled", reason: `A hook ended it: ${reason}` });
}

/** True if hooks may react to the result of a call. */
function hasPostToolHooks({ names, context }: RunningCall, hooks: Pick<HookRunner, "has">): boolean {
  const has = (event: CallEnd["event"]) => hooks.has(event, names);
  return context !== undefined || has("PostToolUse") || has("PostToolUseFailure");
}

interface PostToolParts {
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
async function runStopHooks(
  stopping: Stopping,
  hooks: Pick<HookRunner, "stop">,
  signal: AbortSignal,
): Promise<StopResult> {
  const event = stopping.agentType === undefined ? "Stop" : "SubagentStop";
  const said = await hooks.stop(stopping, signal);
  return said.goOn === undefined ? said : { ...said, goOn: hookText(event, said.goOn).trim() };
}

/** Runs the hooks of worktrees, in the checkout, before one is made and before one is removed. */
export function worktreeHooks(
  hooks: Pick<HookRunner, "worktreeCreate" | "worktreeRemove" | "has">,
  caller: (actor: ActorId, cwd: string) => HookCaller,
) {
  return {
    async creating(
      { folder, name, owner }: GitRequest<"create">,
      signal: AbortSignal = NEVER,
    ): Promise<string | null> {
      const tree = { name, path: treePath(folder, name) };
      const why = await hooks.worktreeCreate(tree, caller(ActorId.parse(owner.actor), folder), signal);
      return why === null ? null : `No worktree is made: a hook said no. ${why}`;
    },
    async removing({ tree }: GitRequest<"remove">, signal: AbortSignal = NEVER): Promise<void> {
      await hooks.worktreeRemove(tree.path, caller(MAIN, tree.checkout), signal);
    },
    seesRemovals: () => hooks.has("WorktreeRemove"),
  };
}
