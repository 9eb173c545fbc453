import type { HookEvent } from "../../mailbox/hook-events.ts";
import type { Combined } from "./combine.ts";
import type { HookPorts } from "./ports.ts";
import type {
  CallEnd,
  HookCaller,
  HookedCall,
  PostToolUse,
  PreCompact,
  PreToolUse,
  SessionStart,
  Stopping,
  StopResult,
  UserPromptSubmit,
} from "./results.ts";
import { matching, type RunMatchingHooks, runMatchingHooks } from "./run-matching-hooks.ts";

/** After so many times in a row an actor ends whatever its Stop hooks say (A5.10). */
export const MAX_GO_ON = 5;

/**
 * The hooks of a session, one function for each event. They never reject and always end: a hook that hangs,
 * dies, floods or cannot be understood is stopped and named, and what happens then is in the result. Aborted,
 * what a hook should have decided is a no.
 */
export interface HookRunner {
  /** Whether a hook would run. `names`: see each event. Costs nothing where none is configured. */
  has(event: HookEvent, names?: readonly string[]): boolean;
  /** Matched by the tool's names. */
  preToolUse(call: HookedCall, caller: HookCaller, signal: AbortSignal): Promise<PreToolUse>;
  /** PostToolUse or PostToolUseFailure, matched by the tool's names. */
  postToolUse(call: HookedCall, end: CallEnd, caller: HookCaller, signal: AbortSignal): Promise<PostToolUse>;
  userPromptSubmit(prompt: string, caller: HookCaller, signal: AbortSignal): Promise<UserPromptSubmit>;
  /** The main conversation is about to end its turn. */
  stop(stopping: Stopping, signal: AbortSignal): Promise<StopResult>;
  /** An agent is about to end. Matched by its type. */
  subagentStop(stopping: Stopping, signal: AbortSignal): Promise<StopResult>;
  /** Matched by the source. `startup` runs once, however often it is called. */
  sessionStart(
    source: "startup" | "resume" | "clear" | "compact",
    caller: HookCaller,
    signal: AbortSignal,
  ): Promise<SessionStart>;
  /** Runs once, however often it is called (A5.11). Matched by the reason. */
  sessionEnd(reason: string, caller: HookCaller, signal: AbortSignal): Promise<void>;
  /** Matched by what set it off. Text is for whoever writes the summary; a block means not now. */
  preCompact(
    trigger: "manual" | "auto",
    instructions: string,
    caller: HookCaller,
    signal: AbortSignal,
  ): Promise<PreCompact>;
  /** Matched by the type, such as `permission_prompt`. */
  notification(type: string, message: string, caller: HookCaller, signal: AbortSignal): Promise<void>;
}

export function hookRunner(ports: HookPorts): HookRunner {
  const ask = runMatchingHooks(ports);
  let started: Promise<SessionStart> | undefined;
  let ended: Promise<void> | undefined;
  return {
    has: (event, names = []) => matching(ports.hooks.get(event), names).length > 0,
    async preToolUse({ names, input, toolUseId }, caller, signal) {
      const fields = { tool_name: names[0], tool_input: input, tool_use_id: toolUseId };
      const said = await ask({ event: "PreToolUse", caller, names, fields, signal });
      return said === null ? GO : preToolUse(said);
    },
    async postToolUse({ names, input, toolUseId }, end, caller, signal) {
      const call = { tool_name: names[0], tool_input: input, tool_use_id: toolUseId };
      const fields = { ...call, ...fieldsOf(end) };
      const said = await ask({ event: end.event, caller, names, fields, signal });
      return said === null ? NOTHING : postToolUse(said);
    },
    async userPromptSubmit(prompt, caller, signal) {
      const said = await ask({ event: "UserPromptSubmit", caller, names: [], fields: { prompt }, signal });
      return said === null ? GO : userPromptSubmit(said);
    },
    stop: (stopping, signal) => stop(ask, ports, "Stop", stopping, signal),
    subagentStop: (stopping, signal) => stop(ask, ports, "SubagentStop", stopping, signal),
    sessionStart(source, caller, signal) {
      const happening = {
        event: "SessionStart",
        caller,
        names: [source],
        fields: { source },
        signal,
      } as const;
      const said = () => Promise.resolve(ask(happening)).then(contextOf);
      if (source !== "startup") return said();
      started ??= said();
      return started;
    },
    sessionEnd(reason, caller, signal) {
      const happening = { event: "SessionEnd", caller, names: [reason], fields: { reason }, signal } as const;
      ended ??= Promise.resolve(ask(happening)).then(() => {});
      return ended;
    },
    async preCompact(trigger, instructions, caller, signal) {
      const fields = { trigger, custom_instructions: instructions };
      return preCompact(await ask({ event: "PreCompact", caller, names: [trigger], fields, signal }));
    },
    async notification(type, message, caller, signal) {
      const fields = { message, notification_type: type };
      await ask({ event: "Notification", caller, names: [type], fields, signal });
    },
  };
}

const GO = { type: "go" } as const;
const NOTHING = {};

function preToolUse({ verdict, reason, input, text, stop }: Combined): PreToolUse {
  if (verdict === "block" || stop !== undefined) {
    return { type: "deny", reason: reasonOf(verdict, reason, stop), ...(stop !== undefined && { stop }) };
  }
  return {
    type: "go",
    ...(verdict && { decision: verdict, ...(reason && { reason }) }),
    ...(input !== undefined && { input }),
    ...(text && { context: text }),
  };
}

/** Who ends everything need not give a reason for this one call. */
function reasonOf(
  verdict: Combined["verdict"],
  reason: string | undefined,
  stop: string | undefined,
): string {
  return (verdict === "block" ? reason : undefined) ?? stop ?? "";
}

/** The names are those that people's scripts read. */
function fieldsOf(end: CallEnd): Readonly<Record<string, unknown>> {
  switch (end.event) {
    case "PostToolUse":
      return { tool_response: end.response };
    case "PostToolUseFailure":
      return { error: end.error, is_interrupt: end.interrupted };
    default:
      return end satisfies never;
  }
}

function postToolUse({ verdict, reason, text, stop }: Combined): PostToolUse {
  return {
    ...(text && { append: text }),
    ...(verdict === "block" && reason && { block: reason }),
    ...(stop !== undefined && { stop }),
  };
}

function userPromptSubmit({ verdict, reason, prompt, text, stop }: Combined): UserPromptSubmit {
  if (verdict === "block" || stop !== undefined) {
    return { type: "blocked", reason: reasonOf(verdict, reason, stop) };
  }
  return { type: "go", ...(prompt !== undefined && { prompt }), ...(text && { context: text }) };
}

async function stop(
  ask: RunMatchingHooks,
  ports: HookPorts,
  event: "Stop" | "SubagentStop",
  { goneOn, lastText, ...caller }: Stopping,
  signal: AbortSignal,
): Promise<StopResult> {
  const fields = { stop_hook_active: goneOn > 0, last_assistant_message: lastText };
  const names = caller.agentType === undefined ? [] : [caller.agentType];
  const said = await ask({ event, caller, names: event === "Stop" ? [] : names, fields, signal });
  if (said === null) return NOTHING;
  const append = said.text ? { append: said.text } : NOTHING;
  if (said.verdict !== "block" || said.stop !== undefined || !said.reason) return append;
  if (goneOn < MAX_GO_ON) return { ...append, goOn: said.reason };
  ports.onProblem(
    `A ${event} hook has made an agent go on ${goneOn} times in a row; the agent ends now all the same. Let the hook look at stop_hook_active in what it reads.`,
  );
  return append;
}

function preCompact(said: Combined | null): PreCompact {
  if (said === null) return NOTHING;
  const { verdict, reason, stop, text } = said;
  if (verdict === "block" || stop !== undefined) return { block: reasonOf(verdict, reason, stop) };
  return text ? { context: text } : NOTHING;
}

function contextOf(said: Combined | null): SessionStart {
  return said?.text ? { context: said.text } : NOTHING;
}
