import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { HookEvent } from "../../mailbox/hook-events.ts";
import {
  combineDecisions,
  failsClosed,
  type HookDecision,
  type HookProblem,
  type HookResponse,
  readDecision,
} from "./hook-decision.ts";
import { type Hook, type Hooks, hookName } from "./hooks.ts";
import type { HookCaller } from "./results.ts";
import { type RunProcess, runHook } from "./run-hook.ts";

export interface HookPorts {
  /** Read again at each event, so it can be a getter over settings that change. */
  readonly hooks: Hooks;
  readonly run: RunProcess;
  readonly session: {
    readonly id: string;
    /** The journal's file. */
    readonly transcriptPath: string;
    readonly projectDir: string;
    /** Holds the files that hooks read as stdin while they run. In a private directory; need not exist. */
    readonly dir: string;
  };
  readonly clock: Clock;
  /** Receives one sentence about a hook that fails, once for each hook and kind of problem. */
  onProblem(message: string): void;
  /** Receives what a hook says to the user (`systemMessage`). */
  onMessage(message: string): void;
}

/** One event: the actor that it happens to, the names that matchers see, and what the hooks' JSON says. */
export interface HookedEvent {
  readonly event: HookEvent;
  readonly caller: HookCaller;
  /** If empty, matchers make no difference. */
  readonly names: readonly string[];
  /** Of a tool call: its input. */
  readonly input?: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Runs these hooks, which match the event. */
export type RunHooks = (hooks: readonly Hook[], event: HookedEvent) => Promise<HookDecision>;

/** Returns a function that runs hooks, all in parallel, and combines their decisions. */
export function hookRuns(ports: HookPorts): RunHooks {
  const { session, clock, run } = ports;
  const env = { CLAUDE_PROJECT_DIR: session.projectDir, TROUPE_PROJECT_DIR: session.projectDir };
  const reported = new WeakMap<Hook, Set<HookProblem["kind"]>>();
  let runs = 0;

  function report(hook: Hook, { kind, why }: HookProblem): void {
    const known = reported.get(hook) ?? new Set();
    reported.set(hook, known);
    if (known.has(kind)) return;
    known.add(kind);
    // An exit code other than 0 and 2 is not a failure (A22.21).
    const blocked = failsClosed(hook) && kind !== "exit";
    const effect = blocked ? "what it had to decide was blocked" : "Troupe continues without it";
    ports.onProblem(`${hookName(hook)} ${why}; ${effect}. ${remedyFor(kind)}`);
  }

  async function runAll(hooks: readonly Hook[], event: HookedEvent): Promise<readonly HookResponse[]> {
    const { caller, fields, signal } = event;
    const { owner, cwd } = caller;
    const common = { ...commonFields(ports, caller), hook_event_name: event.event };
    try {
      return await withEventFile(session.dir, `${JSON.stringify({ ...common, ...fields })}\n`, (path) =>
        Promise.all(
          hooks.map(async (hook) => {
            runs += 1;
            const how = { id: `hook${runs}`, owner, cwd, env, event: path };
            return readDecision(hook, await runHook(hook, run, how, clock, signal));
          }),
        ),
      );
    } catch (error) {
      const why = `was not run: what it should read could not be written (${errorMessage(error)})`;
      return hooks.map((hook) => readDecision(hook, { type: "failed", kind: "start", why }));
    }
  }

  return async (hooks, event) => {
    const responses = await runAll(hooks, event);
    for (const [at, hook] of hooks.entries()) {
      const problem = responses[at]?.problem;
      if (problem) report(hook, problem);
    }
    const decisions = responses.map(({ decision }) => decision);
    for (const { message } of decisions) if (message !== undefined) ports.onMessage(message);
    return combineDecisions(decisions);
  };
}

/**
 * Lends a file with the event while hooks read it as stdin. A file and not a pipe: a hook that does not read it delays
 * nothing, and a large event passes through no process of Troupe. Only this user can read it.
 */
async function withEventFile<T>(dir: string, text: string, use: (path: string) => Promise<T>): Promise<T> {
  // A session that was killed may have left some, and continues in the same directory.
  const path = join(dir, `${randomUUID()}.json`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, text, { mode: 0o600, flag: "wx" });
    return await use(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** The names are those that users' scripts read. */
function commonFields({ session }: HookPorts, { owner, cwd, permissionMode, agentType }: HookCaller) {
  return {
    session_id: session.id,
    transcript_path: session.transcriptPath,
    cwd,
    permission_mode: permissionMode,
    ...(agentType !== undefined && { agent_id: owner, agent_type: agentType }),
  };
}

function remedyFor(kind: HookProblem["kind"]): string {
  switch (kind) {
    case "timeout":
      return "Make it faster, or raise its timeout.";
    case "flood":
      return "Let it print less.";
    case "json":
      return "Correct what it prints.";
    case "crash":
    case "start":
    case "exit":
      return "Correct the command, or remove the hook.";
    default:
      return kind satisfies never;
  }
}
