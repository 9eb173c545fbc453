import type { HookEvent } from "../../settings/hook-events.ts";
import type { HookDecision } from "./hook-decision.ts";
import type {
  CallEnd,
  HookCaller,
  HookedCall,
  HookedTask,
  PermissionAnswer,
  PostToolUse,
  PreCompact,
  PreToolUse,
  SessionStart,
  Stopping,
  StopResult,
  SubagentStart,
  TaskResult,
  UserPromptSubmit,
} from "./hook-results.ts";
import type { Roots } from "./moved-paths.ts";
import { HOOK_AGENT, type Hook, matchHooks } from "./parse-hooks.ts";
import type { HookedEvent, HookPorts, HookRuns } from "./run-event.ts";

/** An actor ends after this many Stop hooks in a row that made it continue (A5.10). */
export const MAX_CONTINUED = 5;

type Trigger = "manual" | "auto";

/**
 * The hooks of a session, one function for each event. They never reject and always end: a hook that hangs, dies,
 * floods or prints nonsense is stopped and reported, and the result has the consequence. If the signal is aborted, a
 * pending decision is a no.
 */
export interface HookRunner {
  /** True if a hook would run. `names`: see each event. Costs nothing if none is configured. */
  has(event: HookEvent, names?: readonly string[]): boolean;
  /** Matched by the tool's names. */
  preToolUse(call: HookedCall, caller: HookCaller, signal: AbortSignal): Promise<PreToolUse>;
  /** PostToolUse or PostToolUseFailure, matched by the tool's names. */
  postToolUse(call: HookedCall, end: CallEnd, caller: HookCaller, signal: AbortSignal): Promise<PostToolUse>;
  /** A question to the user is due. Matched by the tool's names. `grants`: rules that would spare it. */
  permissionRequest(
    call: HookedCall,
    grants: readonly string[],
    caller: HookCaller,
    signal: AbortSignal,
  ): Promise<PermissionAnswer>;
  userPromptSubmit(prompt: string, caller: HookCaller, signal: AbortSignal): Promise<UserPromptSubmit>;
  /** Stop or SubagentStop: the main conversation is about to end its turn, or an agent to end. Matched by its type. */
  stop(stopping: Stopping, signal: AbortSignal): Promise<StopResult>;
  /** An agent is about to start. Matched by its type. */
  subagentStart(caller: HookCaller, signal: AbortSignal): Promise<SubagentStart>;
  /** A task is about to be created or completed. */
  task(task: HookedTask, caller: HookCaller, signal: AbortSignal): Promise<TaskResult>;
  /** Troupe is about to make a worktree: resolves with why it must not, or null. */
  worktreeCreate(
    tree: { readonly name: string; readonly path?: string },
    caller: HookCaller,
    signal: AbortSignal,
  ): Promise<string | null>;
  worktreeRemove(path: string, caller: HookCaller, signal: AbortSignal): Promise<void>;
  /** Matched by the source. `startup` and `resume` run once, however often they are called. */
  sessionStart(
    source: "startup" | "resume" | "clear" | "compact",
    caller: HookCaller,
    signal: AbortSignal,
  ): Promise<SessionStart>;
  /** Runs once, however often it is called (A5.11), and stops asynchronous hooks. Matched by the reason. */
  sessionEnd(reason: string, caller: HookCaller, signal: AbortSignal): Promise<void>;
  /** Matched by the trigger. Text is for the writer of the summary; a block postpones it. */
  preCompact(
    trigger: Trigger,
    instructions: string,
    caller: HookCaller,
    signal: AbortSignal,
  ): Promise<PreCompact>;
  /** Matched by the trigger; what it prints does not count. */
  postCompact(trigger: Trigger, summary: string, caller: HookCaller, signal: AbortSignal): Promise<void>;
  /** Matched by the type, such as `permission_prompt`. */
  notification(type: string, message: string, caller: HookCaller, signal: AbortSignal): Promise<void>;
}

export function hookRunner(ports: HookPorts): HookRunner {
  let loaded: Promise<HookRuns> | undefined;
  let started: Promise<SessionStart> | undefined;
  let saidPath = false;
  /** Those of `once` that have run: settings are parsed again when they change. */
  const done = new Set<string>();
  const keyOf = ({ skill, event, command, args }: Hook) => JSON.stringify([skill, event, command, args]);
  let ended: Promise<void> | undefined;

  /**
   * The only way in which hooks run. An agent on a runner has the paths there: what session hooks get of it, and what they
   * change, is as for an agent here, and what they tell it has its own paths. Null if no hook runs.
   */
  function run(event: HookedEvent): Promise<HookDecision> | null {
    const { away } = event.caller;
    const isConfigured = (ports.hooks.get(event.event) ?? []).length > 0;
    return away === undefined || !isConfigured ? runHere(event) : runMoved(event, away);
  }

  async function runMoved(event: HookedEvent, away: Roots): Promise<HookDecision> {
    const { restoreInput, toRunner, toSession } = await import("./moved-paths.ts");
    const { input, fields } = event;
    // Also what a call returned, and the rules that would spare a question about it.
    const moved = Object.entries(fields).map(([name, value]) => [name, toSession(value, away)]);
    const shown = { ...event, input: toSession(input, away), fields: Object.fromEntries(moved) };
    const decision = (await runHere(shown)) ?? {};
    const { reason, text, input: printed } = decision;
    return {
      ...decision,
      ...(reason !== undefined && { reason: toRunner(reason, away) }),
      ...(text !== undefined && { text: toRunner(text, away) }),
      ...(printed !== undefined && { input: restoreInput(printed, input, away) }),
    };
  }

  function runHere(event: HookedEvent): Promise<HookDecision> | null {
    const { names, input, caller } = event;
    const { agentType: type, skills = [], cwd, root = ports.session.projectDir } = caller;
    const own = (ports.hooks.get(event.event) ?? []).filter((hook) => {
      const { agentType, skill, condition, type: kind } = hook;
      return (
        !(hook.once && done.has(keyOf(hook))) &&
        (kind === "command" ? !caller.commandsElsewhere : type !== HOOK_AGENT) &&
        (agentType === undefined || agentType === type) &&
        (skill === undefined || skills.includes(skill)) &&
        (condition === undefined || condition({ names, input, cwd, root }))
      );
    });
    const hooks = matchHooks(own, names);
    if (hooks.length === 0) return null;
    for (const hook of hooks) if (hook.once) done.add(keyOf(hook));
    // Most sessions have no hooks.
    loaded ??= import("./run-event.ts").then(({ hookRuns }) => hookRuns(ports));
    return loaded.then((runs) => runs.run(hooks, event));
  }

  return {
    has: (event, names = []) => matchHooks(ports.hooks.get(event) ?? [], names).length > 0,
    async preToolUse({ names, input, toolUseId }, caller, signal) {
      const fields = { tool_name: names[0], tool_input: input, tool_use_id: toolUseId };
      const decision = await run({ event: "PreToolUse", caller, names, input, fields, signal });
      if (decision === null) return { type: "go" };
      const { verdict, reason, text, stop: why } = decision;
      if (verdict === "block" || why !== undefined)
        return { type: "deny", reason: blockReason(decision), ...(why !== undefined && { stop: why }) };
      return {
        type: "go",
        ...(verdict && { decision: verdict, ...(reason && { reason }) }),
        ...(decision.input !== undefined && { input: decision.input }),
        ...(text && { context: text }),
      };
    },
    async postToolUse({ names, input, toolUseId }, end, caller, signal) {
      const call = { tool_name: names[0], tool_input: input, tool_use_id: toolUseId };
      const fields = { ...call, ...fieldsOf(end) };
      const {
        verdict,
        reason,
        text,
        stop: why,
      } = (await run({ event: end.event, caller, names, input, fields, signal })) ?? {};
      return {
        ...(text && { append: text }),
        ...(verdict === "block" && reason && { block: reason }),
        ...(why !== undefined && { stop: why }),
      };
    },
    async permissionRequest({ names, input }, grants, caller, signal) {
      const suggestions = grants.map((rule) => ({
        ...{ type: "addRules", behavior: "allow", destination: "session" },
        rules: [ruleFields(rule)],
      }));
      const call = { tool_name: names[0], tool_input: input };
      const fields = { ...call, permission_suggestions: suggestions };
      const decision = await run({ event: "PermissionRequest", caller, names, input, fields, signal });
      const { verdict, reason = "", stop: why } = decision ?? {};
      if (decision !== null && (verdict === "block" || why !== undefined))
        return { type: "deny", reason: blockReason(decision), ...(why !== undefined && { stop: why }) };
      if (verdict !== "allow") return { type: "none" };
      return { type: "allow", reason, ...(decision?.input && { input: decision.input }) };
    },
    async userPromptSubmit(given, caller, signal) {
      const fields = { prompt: given };
      const decision = (await run({ event: "UserPromptSubmit", caller, names: [], fields, signal })) ?? {};
      const { verdict, prompt, text } = decision;
      if (verdict === "block" || decision.stop !== undefined)
        return { type: "blocked", reason: blockReason(decision) };
      return { type: "go", ...(prompt !== undefined && { prompt }), ...(text && { context: text }) };
    },
    async stop({ continued, lastText, ...caller }, signal) {
      const { agentType } = caller;
      const event = agentType === undefined ? "Stop" : "SubagentStop";
      const fields = { stop_hook_active: continued > 0, last_assistant_message: lastText };
      const names = agentType === undefined ? [] : [agentType];
      const decision = await run({ event, caller, names, fields, signal });
      if (decision === null) return {};
      const append = decision.text ? { append: decision.text } : {};
      if (decision.verdict !== "block" || decision.stop !== undefined || !decision.reason) return append;
      if (continued < MAX_CONTINUED) return { ...append, goOn: decision.reason };
      ports.onProblem(
        `A ${event} hook made an agent continue ${continued} times in a row; the agent ends now all the same. Let the hook look at stop_hook_active in what it reads.`,
      );
      return append;
    },
    async subagentStart(caller, signal) {
      const names = caller.agentType === undefined ? [] : [caller.agentType];
      const decision = await run({ event: "SubagentStart", caller, names, fields: {}, signal });
      const { text, stop: why } = decision ?? {};
      return { ...(text && { context: text }), ...(why !== undefined && { stop: why }) };
    },
    async task({ event, id, subject, description }, caller, signal) {
      const fields = { task_id: id, task_subject: subject, task_description: description };
      const { verdict, reason, stop: why } = (await run({ event, caller, names: [], fields, signal })) ?? {};
      return {
        ...(verdict === "block" && reason && { block: reason }),
        ...(why !== undefined && { stop: why }),
      };
    },
    async worktreeCreate({ name, path }, caller, signal) {
      const fields = { name, ...(path === undefined ? {} : { worktree_path: path }) };
      const decision = await run({ event: "WorktreeCreate", caller, names: [], fields, signal });
      if (decision === null) return null;
      if (decision.verdict === "block" || decision.stop !== undefined) return blockReason(decision);
      if (decision.text?.startsWith("/") && !saidPath) {
        saidPath = true;
        ports.onProblem(
          `A WorktreeCreate hook printed a path (${decision.text.split("\n", 1)[0]}). Troupe makes worktrees itself, with git, and does not use that one; let the hook only prepare or refuse.`,
        );
      }
      return null;
    },
    async worktreeRemove(path, caller, signal) {
      const fields = { worktree_path: path };
      await run({ event: "WorktreeRemove", caller, names: [], fields, signal });
    },
    sessionStart(source, caller, signal) {
      const start = async () => {
        const event = "SessionStart";
        const { model } = ports.session;
        const fields = { source, ...(model === undefined ? {} : { model }) };
        const decision = await run({ event, caller, names: [source], fields, signal });
        return decision?.text ? { context: decision.text } : {};
      };
      if (source === "clear" || source === "compact") return start();
      started ??= start();
      return started;
    },
    sessionEnd(reason, caller, signal) {
      const end = async () => {
        await run({ event: "SessionEnd", caller, names: [reason], fields: { reason }, signal });
        await (await loaded)?.close();
      };
      ended ??= end();
      return ended;
    },
    async preCompact(trigger, instructions, caller, signal) {
      const fields = { trigger, custom_instructions: instructions };
      const event = "PreCompact";
      const decision = (await run({ event, caller, names: [trigger], fields, signal })) ?? {};
      const { verdict, text } = decision;
      if (verdict === "block" || decision.stop !== undefined) return { block: blockReason(decision) };
      return text ? { context: text } : {};
    },
    async postCompact(trigger, summary, caller, signal) {
      const fields = { trigger, compact_summary: summary };
      await run({ event: "PostCompact", caller, names: [trigger], fields, signal });
    },
    async notification(type, message, caller, signal) {
      const fields = { message, notification_type: type };
      await run({ event: "Notification", caller, names: [type], fields, signal });
    },
  };
}

/** A hook that ends the conversation need not give a reason for this one call. */
function blockReason({ verdict, reason, stop }: HookDecision): string {
  return (verdict === "block" ? reason : undefined) ?? stop ?? "";
}

/** Splits a rule as users' scripts read it. */
function ruleFields(rule: string): { readonly toolName: string; readonly ruleContent?: string } {
  const open = rule.indexOf("(");
  if (open < 0) return { toolName: rule };
  return { toolName: rule.slice(0, open), ruleContent: rule.slice(open + 1, -1) };
}

/** The names are those that users' scripts read. */
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
