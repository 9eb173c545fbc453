import { errorMessage } from "../../lib/errors.ts";
import type { HookEvent } from "../../mailbox/hook-events.ts";
import { type Combined, combine } from "./combine.ts";
import { eventFiles } from "./event-files.ts";
import { failsClosed, type Heard, type Problem, readDecision } from "./hook-decision.ts";
import { type Hook, nameOf } from "./hooks.ts";
import type { HookPorts } from "./ports.ts";
import type { HookCaller } from "./results.ts";
import { runHook } from "./run-hook.ts";

/** One thing that happens: who it happens to, what hooks may match it by, and what their JSON says of it. */
export interface Happening {
  readonly event: HookEvent;
  readonly caller: HookCaller;
  /** Empty: a matcher makes no difference. */
  readonly names: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Null where no hook is configured for it. */
export type RunMatchingHooks = (happening: Happening) => Promise<Combined> | null;

/** Runs the hooks that match, all at once, and makes one opinion of theirs. */
export function runMatchingHooks(ports: HookPorts): RunMatchingHooks {
  const { session, clock, run } = ports;
  const files = eventFiles(session.folder);
  const env = { CLAUDE_PROJECT_DIR: session.projectDir, TROUPE_PROJECT_DIR: session.projectDir };
  const told = new WeakMap<Hook, Set<Problem["kind"]>>();
  let runs = 0;

  function report(hook: Hook, { kind, why }: Problem): void {
    const known = told.get(hook) ?? new Set();
    told.set(hook, known);
    if (known.has(kind)) return;
    known.add(kind);
    // An exit code that is neither 0 nor 2 is no failing (A22.21).
    const then =
      failsClosed(hook) && kind !== "exit"
        ? "what it had to decide was blocked"
        : "Troupe goes on without it";
    ports.onProblem(`${nameOf(hook)} ${why}; ${then}. ${remedy(kind)}`);
  }

  async function runAll(hooks: readonly Hook[], happening: Happening): Promise<readonly Heard[]> {
    const { event, caller, fields, signal } = happening;
    const { owner, cwd } = caller;
    const text = JSON.stringify({ ...commonFields(ports, caller), hook_event_name: event, ...fields });
    const one = async (hook: Hook, path: string): Promise<Heard> => {
      runs += 1;
      const how = { id: `hook${runs}`, owner, cwd, env, event: path };
      return readDecision(hook, await runHook(hook, run, how, clock, signal));
    };
    return files.lend(`${text}\n`, (path) => Promise.all(hooks.map((hook) => one(hook, path))));
  }

  async function ask(hooks: readonly Hook[], happening: Happening): Promise<Combined> {
    const heard = await runAll(hooks, happening).catch((error) => hooks.map((hook) => notTold(hook, error)));
    for (const [at, { problem }] of heard.entries()) {
      const hook = hooks[at];
      if (hook && problem) report(hook, problem);
    }
    const combined = combine(heard.map(({ opinion }) => opinion));
    for (const message of combined.messages) ports.onMessage(message);
    return combined;
  }

  return (happening) => {
    const { agentType: type } = happening.caller;
    const known = ports.hooks.get(happening.event) ?? [];
    const theirs = known.filter(({ agentType }) => agentType === undefined || agentType === type);
    const hooks = matching(theirs, happening.names);
    return hooks.length === 0 ? null : ask(hooks, happening);
  };
}

/** The same command that stands in several places runs once, by the strictest of them. */
export function matching(hooks: readonly Hook[] | undefined, names: readonly string[]): readonly Hook[] {
  if (hooks === undefined) return [];
  const chosen = new Map<string, Hook>();
  for (const hook of hooks) {
    if (names.length > 0 && !names.some((name) => hook.matches(name))) continue;
    const same = chosen.get(hook.command);
    if (!same || (hook.failClosed && !same.failClosed)) chosen.set(hook.command, hook);
  }
  return [...chosen.values()];
}

/** The names are those that people's scripts read. */
function commonFields({ session }: HookPorts, { owner, cwd, permissionMode, agentType }: HookCaller) {
  return {
    session_id: session.id,
    transcript_path: session.transcriptPath,
    cwd,
    permission_mode: permissionMode,
    ...(agentType !== undefined && { agent_id: owner, agent_type: agentType }),
  };
}

function notTold(hook: Hook, error: unknown): Heard {
  const why = `was not run: what it should read could not be written (${errorMessage(error)})`;
  return readDecision(hook, { type: "failed", kind: "start", why });
}

function remedy(kind: Problem["kind"]): string {
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
