import { randomInt } from "node:crypto";
import type { AgentDefinition } from "../../context/agents/definition.ts";
import { type Clock, pause } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { type StartThread, startThread, type ThreadKind } from "../../lib/threads.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import type { Summary } from "../../mailbox/messages.ts";
import { Caller } from "../../mailbox/rpc/caller.ts";
import { workerChannel } from "../../mailbox/rpc/channel.ts";
import { serve } from "../../mailbox/rpc/server.ts";
import { CallKeys, readCall, type ScriptCall } from "./script-call.ts";
import { keepScriptRun, readScriptRun, type ScriptRun } from "./script-file.ts";
import { type ScriptNews, scriptNeeds, scriptRequests } from "./thread-requests.ts";

/** A script to run, or to run again in a session that has run it before. */
export interface ScriptRequest {
  readonly source: string;
  /** For errors and lists: the file's name. */
  readonly name: string;
  readonly path?: string;
  /** Any JSON value: the script's `args`. In a session that has run it before: absent means the same again. */
  readonly args?: unknown;
  /** Labels or names of calls that run again though they have finished, and with them what depends on their results. */
  readonly force?: readonly string[];
  /** Called with what it logs, its phases and its `meta`. */
  readonly onNews?: (news: ScriptNews) => void;
  /** Aborting it ends the script and its agents, as `cancelled`. */
  readonly signal?: AbortSignal;
}

/** How a script ended. */
export type ScriptEnd =
  | { readonly type: "returned"; readonly value: unknown }
  /** `reason` is a clause. */
  | { readonly type: "failed"; readonly reason: string };

/** One agent for a call, or the one that has answered the call of this key before. */
export type RunCall = (
  call: ScriptCall,
  key: string,
  signal: AbortSignal,
) => Promise<{
  readonly summary: Summary;
  readonly description: string;
  /** Why the brake did not let it start, or null. */
  readonly stopped: string | null;
}>;

export interface ScriptParts {
  /** Where the run is kept. */
  readonly folder: string;
  /** Its ID, if it is one of several scripts of a session; null for the one that the session is for. */
  readonly run: string | null;
  readonly clock: Clock;
  readonly budgetTokens: number | null;
  /** Throws if there is no such type. */
  readonly definition: (type: string) => AgentDefinition;
  readonly runCall: RunCall;
  readonly startThread?: StartThread | undefined;
}

/** How often a script's thread must show that it lives, and milliseconds in which it must. */
const PULSE_MS = 5_000;
const STUCK_MS = 20_000;
/** Calls of one run; a script that asks for more has most likely lost count. */
const MOST_CALLS = 1_000;

const THREAD: ThreadKind = {
  name: "script",
  entry: new URL(
    import.meta.url.endsWith(".ts") ? "./script-thread.ts" : "./script-thread.cjs",
    import.meta.url,
  ),
};

/**
 * Runs a script in a thread of its own. Each of its calls has a name by its content, and a call that has finished in this session
 * before is answered from the journal. Rejects with a sentence if the script cannot be kept; how it ends is data. Uses no
 * joint: its agents start as those of the library do.
 */
export async function runScript(request: ScriptRequest, parts: ScriptParts): Promise<ScriptEnd> {
  const { onNews = () => {}, signal } = request;
  const run = await recordOf(request, parts);
  const keys = new CallKeys(run.forced, parts.run);
  const over = new AbortController();
  const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const worker = (parts.startThread ?? startThread)(THREAD);
  const channel = workerChannel(worker);
  const script = new Caller(scriptRequests, { clock: parts.clock, peer: "The script's thread" });
  script.attach(channel);
  let fault: string | null = null;
  worker.once("error", (error: unknown) => {
    fault = errorMessage(error);
  });
  let calls = 0;
  serve(channel, scriptNeeds, {
    async agent({ prompt, options }) {
      const call = readCall(prompt, options);
      const definition = parts.definition(call.type);
      // Once it is stopped, it starts nothing more until its thread has ended.
      stop.throwIfAborted();
      calls += 1;
      if (calls > MOST_CALLS)
        throw new Error(`This script has made ${MOST_CALLS} calls, the most for one run.`);
      const ended = await parts.runCall(call, keys.next(call, definition), stop);
      const { summary, description, stopped } = ended;
      stop.throwIfAborted();
      if (stopped !== null) {
        fault = stopped;
        over.abort(new Error(stopped));
        void worker.terminate();
      }
      return { value: answerOf(call, summary, description, onNews), tokens: totalTokens(summary.usage) };
    },
  });
  // The engine's own limit does not see a single operation on a huge text.
  const watch = async (): Promise<void> => {
    for (;;) {
      await pause(parts.clock, PULSE_MS, over.signal);
      if (over.signal.aborted) return;
      const pulse = await script.call("pulse", null, { deadlineMs: STUCK_MS, signal: over.signal });
      if (pulse.ok || over.signal.aborted) continue;
      fault ??= "it computes without an end";
      return void worker.terminate();
    }
  };
  void watch();
  const { name, source, args, startedAt, seed } = run;
  try {
    const order = { name, source, args, startedAt, seed, budget: parts.budgetTokens };
    const result = await script.call("run", order, { onEvent: onNews, ...(signal ? { signal } : {}) });
    if (!result.ok) return { type: "failed", reason: fault ?? result.message };
    const end = result.value;
    return end.type === "returned" ? end : { type: "failed", reason: `${name}, ${end.message}` };
  } finally {
    // A script that has ended waits for none of its agents.
    over.abort(new Error("The script has ended."));
    await worker.terminate();
  }
}

/** The same source, clock and random numbers as before, if the session has run it; durable before it runs. */
async function recordOf(request: ScriptRequest, { folder, clock }: ScriptParts): Promise<ScriptRun> {
  const before = readScriptRun(folder);
  const { name, source, path = null, args = before?.args ?? {}, force = [] } = request;
  const forced = { ...before?.forced };
  for (const call of force) forced[call] = (forced[call] ?? 0) + 1;
  const run: ScriptRun = {
    ...{ path, name, source, args, forced },
    startedAt: before?.startedAt ?? Date.parse(clock.date()),
    seed: before?.seed ?? randomInt(2 ** 32),
  };
  await keepScriptRun(folder, run);
  return run;
}

/** What the call resolves to: data, a text, or null for an agent that has not done its task, with a line that says so. */
function answerOf(
  { options }: ScriptCall,
  { status, text, output, reason }: Summary,
  description: string,
  onNews: (news: ScriptNews) => void,
): unknown {
  const answers = status === "done" || (status === "partial" && options.schema === undefined);
  if (answers) return options.schema === undefined ? text : (output ?? null);
  onNews({ type: "log", text: `${options.label ?? description}: ${status}${reason ? `: ${reason}` : ""}` });
  return null;
}
