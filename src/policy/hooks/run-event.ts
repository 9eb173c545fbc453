import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, within } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { ActorId } from "../../mailbox/ids.ts";
import type { HookEvent } from "../../settings/hook-events.ts";
import {
  combineDecisions,
  failsClosed,
  type HookDecision,
  type HookProblem,
  type HookResponse,
  readDecision,
  unclearEffect,
} from "./hook-decision.ts";
import { type RunProcess, runHook } from "./hook-process.ts";
import type { HookCaller } from "./hook-results.ts";
import type { HookModels } from "./model-hook.ts";
import { toRunner } from "./moved-paths.ts";
import { type Hook, type Hooks, hookName } from "./parse-hooks.ts";

export interface HookPorts {
  /** Read again at each event, so it can be a getter over settings that change. */
  readonly hooks: Hooks;
  readonly run: RunProcess;
  /** Resolves with null if the session has no model but the offline one. */
  models(): Promise<HookModels | null>;
  readonly session: {
    readonly id: string;
    /** The main conversation's. */
    readonly model?: string;
    /** The journal's file. */
    readonly transcriptPath: string;
    readonly projectDir: string;
    /** Holds the files that hooks read as stdin while they run. In a private directory; need not exist. */
    readonly dir: string;
    /** The file into which SessionStart hooks write variables for commands; absent on a runner. */
    readonly envFile?: string;
    /** Lets a file that only its owner reads be read by those who run hooks, if that is another user. */
    readonly lend?: (path: string) => void;
  };
  readonly clock: Clock;
  /** Receives one sentence about a hook that fails, once for each hook and kind of problem. */
  onProblem(message: string): void;
  /** Receives what a hook says to the user (`systemMessage`). */
  onMessage(message: string): void;
  /** Receives what an asynchronous hook says to the model. `wakes`: it is worth a turn. */
  onLater(actor: ActorId, event: HookEvent, text: string, wakes: boolean): void;
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

/** The hooks of a session as they run. */
export interface HookRuns {
  /** Runs these hooks, which match the event, all in parallel, and combines their decisions. */
  run(hooks: readonly Hook[], event: HookedEvent): Promise<HookDecision>;
  /** Gives asynchronous hooks a moment to end, and stops them. */
  close(): Promise<void>;
}

/** Owns the processes of asynchronous hooks: they outlive the call or agent that they were started for. */
const ASYNC_OWNER = ActorId.parse("hooks");
/** Events that only tell hooks what happens; the user reads a no. */
const CANNOT_BLOCK: readonly HookEvent[] = [
  "SessionStart",
  "SessionEnd",
  "SubagentStart",
  "PostCompact",
  "WorktreeRemove",
  "Notification",
];
/** Milliseconds that asynchronous hooks have to end when the session closes: a sound, a line in a log. */
const LAST_MS = 1_000;

export function hookRuns(ports: HookPorts): HookRuns {
  const { session, clock, run } = ports;
  const usual = {
    ...{ CLAUDE_PROJECT_DIR: session.projectDir, TROUPE_PROJECT_DIR: session.projectDir },
    CLAUDE_CODE_SESSION_ID: session.id,
  };
  const reported = new WeakMap<Hook, Set<HookProblem["kind"]>>();
  let runs = 0;
  const open = new Set<Promise<void>>();
  const over = new AbortController();

  function report(hook: Hook, { kind, why }: HookProblem): void {
    const known = reported.get(hook) ?? new Set();
    reported.set(hook, known);
    if (known.has(kind)) return;
    known.add(kind);
    // An exit code other than 0 and 2 is not a failure (A22.21).
    const blocked = failsClosed(hook) && kind !== "exit";
    const unclear = unclearEffect(hook);
    const effect =
      kind === "unused"
        ? "the rest of it counts"
        : blocked || unclear === "block"
          ? "what it had to decide was blocked"
          : unclear === "ask"
            ? "the user is asked instead"
            : "Troupe continues without it";
    ports.onProblem(`${hookName(hook)} ${why}; ${effect}. ${remedyFor(kind)}`);
  }

  async function runAll(
    hooks: readonly Hook[],
    { signal, ...event }: HookedEvent,
    owner = event.caller.owner,
  ): Promise<readonly HookResponse[]> {
    const { caller, fields } = event;
    const cwd = caller.away?.session ?? caller.cwd;
    const { envFile } = session;
    const env =
      event.event === "SessionStart" && envFile !== undefined
        ? { ...usual, CLAUDE_ENV_FILE: envFile }
        : usual;
    const common = { ...commonFields(ports, caller), hook_event_name: event.event };
    try {
      const input = JSON.stringify({ ...common, ...fields });
      return await withEventFile(session.dir, `${input}\n`, (path) => {
        session.lend?.(path);
        return Promise.all(
          hooks.map(async (hook) => {
            const { type } = hook;
            if (type !== "command") {
              const { runModelHook } = await import("./model-hook.ts");
              return runModelHook({ ...hook, type }, () => ports.models(), input, {
                actor: owner,
                cwd,
                clock,
                signal,
              });
            }
            runs += 1;
            const how = { id: `hook${runs}`, owner, cwd, env, event: path };
            return readDecision(hook, await runHook(hook, run, how, clock, signal));
          }),
        );
      });
    } catch (error) {
      const why = `was not run: what it should read could not be written (${errorMessage(error)})`;
      return hooks.map((hook) => readDecision(hook, { type: "failed", kind: "start", why }));
    }
  }

  function responded(hook: Hook, { problem, decision: { message, verdict, reason } }: HookResponse): void {
    if (problem) report(hook, problem);
    if (message !== undefined) ports.onMessage(message);
    if (verdict === "block" && CANNOT_BLOCK.includes(hook.event))
      ports.onMessage(`${hookName(hook)} said no, which changes nothing at this event: ${reason}`);
  }

  /** What it decides comes too late; what it says reaches the model with its next turn. */
  async function runLater(hook: Hook, event: HookedEvent): Promise<void> {
    // As before a call: plain text and other JSON do not count.
    const silent = { ...hook, event: "PreToolUse" } as const;
    const [response] = await runAll([silent], { ...event, signal: over.signal }, ASYNC_OWNER);
    if (response === undefined) return;
    responded(hook, response);
    const { verdict, reason, text, message } = response.decision;
    const wakes = hook.async === "wakes" && verdict === "block";
    const said = [wakes ? reason : undefined, text, message].filter((one) => one !== undefined);
    if (said.length === 0) return;
    const { owner, away } = event.caller;
    const heard = away === undefined ? said : said.map((one) => toRunner(one, away));
    ports.onLater(owner, event.event, heard.join("\n"), wakes);
  }

  return {
    async run(hooks, event) {
      // At the end of a session, there is nothing to continue with.
      const isLater = ({ async }: Hook) => async !== undefined && event.event !== "SessionEnd";
      for (const hook of hooks.filter(isLater)) {
        const running: Promise<void> = runLater(hook, event).finally(() => open.delete(running));
        open.add(running);
      }
      const awaited = hooks.filter((hook) => !isLater(hook));
      if (awaited.length === 0) return {};
      const responses = await runAll(awaited, event);
      for (const [at, hook] of awaited.entries()) {
        const response = responses[at];
        if (response) responded(hook, response);
      }
      return combineDecisions(responses.map(({ decision }) => decision));
    },
    async close() {
      await within(clock, LAST_MS, Promise.all(open));
      over.abort();
      await Promise.all(open);
    },
  };
}

/**
 * Lends a file with the event while hooks read it as stdin. A file and not a pipe: a hook that does not read it delays
 * nothing, and a large event passes through no process of Troupe. Only this user can read it.
 */
export async function withEventFile<T>(
  dir: string,
  text: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
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
    case "unused":
      return "Do without these keys here.";
    case "model":
      return "Check the model's key and name, or remove the hook.";
    case "answer":
      return "Let its prompt say what it must decide.";
    case "crash":
    case "start":
    case "exit":
      return "Correct the command, or remove the hook.";
    default:
      return kind satisfies never;
  }
}
