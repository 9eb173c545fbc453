import type { AgentResult } from "../events/agent-result.ts";
import type { AgentView, SupervisorEvent } from "../events/event.ts";
import type { SessionUsage } from "../features/budget/usage-meter.ts";
import { type Clock, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { totalTokens } from "../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { SupervisorHandle } from "../session/supervisor-handle.ts";
import { isPlain, paintFor } from "../terminal/colour.ts";
import { shortDate, shortTime } from "../terminal/figures.ts";
import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { followSettings } from "./follow-settings.ts";
import { watchInterrupts } from "./interrupts.ts";
import { type Job, type JobEnd, runJobs, watchTree } from "./jobs.ts";
import { createPlainProgress, type Progress } from "./plain-progress.ts";
import type { CliIO } from "./process-io.ts";
import type { SessionSetup } from "./session-setup.ts";
import { resumeHint, unfinishedAgents } from "./unfinished.ts";

/** All that a report can be made of. */
export interface SessionEnd {
  /** One per job, in the order of the jobs. */
  readonly ends: readonly JobEnd[];
  /** The main conversation's last result if it continued by itself, or null. */
  readonly answered: AgentResult | null;
  /** Agents that were stopped by a signal or a time limit, as they were then. */
  readonly unfinished: readonly AgentView[];
  readonly account: SessionUsage;
  /** Milliseconds since the command started. */
  readonly durationMs: number;
}

/** What a session is started for. */
export interface Work {
  /** Throws if there is nothing to do; then nothing was started. */
  jobs(session: SupervisorHandle, note: (line: string) => void): readonly Job[];
  onEvent?(event: SupervisorEvent): void;
  /** Milliseconds that the main conversation waits, in all, for nothing but background work. */
  readonly backgroundMs?: number | undefined;
  /** The command that resumes it (default `troupe`, the conversation). */
  readonly command?: string;
  /** The session is not kept: it cannot be resumed. */
  readonly passing?: boolean;
  /** Resolves to the exit code. */
  report(finished: SessionEnd): Promise<number>;
}

/** Milliseconds beyond the agents' own grace in which cancelled jobs must end, and for closing the session. */
const LATE_MS = 1_000;
const CLOSE_MS = 10_000;
/** Milliseconds in which a reply that was broken off is still charged. */
const CHARGED_MS = 300;

/**
 * Starts a session, runs the jobs side by side, hands their ends to `report` when no agent is left, and closes the
 * session. On a signal, or when time for the background is over, the session is left as it is, to be resumed, and what
 * is known is reported. Resolves to the exit code: the signal's, `unfinished`, or the report's.
 */
export async function runSession(context: Context, setup: SessionSetup, work: Work): Promise<number> {
  const { io, runtime } = context;
  const { clock } = io;
  const createSupervisor = await runtime.createSupervisor();
  const progress = await chooseProgress(io);
  const tree = watchTree();
  let answered: AgentResult | null = null;
  let unfinished: readonly AgentView[] | null = null;
  let isTimeOver = false;
  const patienceMs = setup.limitPatienceMs;
  const ms = work.backgroundMs;
  const limit =
    ms === undefined
      ? null
      : limitBackground(ms, clock, () => {
          if (interrupts.signal.aborted) return;
          isTimeOver = true;
          leave(`Its --background-timeout of ${shortTime(ms)} was over.`);
        });
  const broken = watchBroken();
  for (const line of setup.notes) progress.note(line);
  let session: SupervisorHandle;
  try {
    session = createSupervisor({
      ...setup.options,
      background: "wait",
      onEvent(event) {
        tree.onEvent(event);
        broken.onEvent(event);
        limit?.onEvent(event);
        if (event.type === "paused" && Date.parse(event.until) - Date.parse(event.since) > patienceMs) {
          isTimeOver = true;
          // Not in the middle of this event.
          queueMicrotask(() =>
            leave(
              `${event.model} is paused until ${shortDate(event.until)}, longer than --limit-patience allows (${shortTime(patienceMs)}).`,
            ),
          );
        }
        if (event.type === "answered") answered = event.result;
        progress.onEvent(event);
        work.onEvent?.(event);
      },
    });
  } catch (error) {
    progress.stop();
    throw error;
  }
  /** Leaves the session as it is, to be resumed. */
  const leave = (reason: string): void => {
    unfinished ??= unfinishedAgents(session.tree());
    broken.watch(session.tree());
    session.detach(reason);
  };
  const noteResume = (): void => {
    const { main, agents } = session.unfinished();
    if (!work.passing && (main || agents.length > 0))
      progress.note(
        resumeHint(session.session, setup.options.cwd, io.cwd, {
          command: work.command,
          engine: setup.engine,
        }),
      );
  };
  const interrupts = watchInterrupts(io, {
    note: progress.note,
    leave(code) {
      progress.stop();
      noteResume();
      io.leave(code);
    },
  });
  const { signal, hurry } = interrupts;
  // Before anything is cancelled for the signal.
  signal.addEventListener("abort", () => leave(errorMessage(signal.reason)), { once: true });
  const following = new AbortController();

  const runWork = async (): Promise<number> => {
    followSettings(session, setup.settings, { note: progress.note, clock, signal: following.signal });
    const ends = await runJobs(session, work.jobs(session, progress.note), {
      ...{ signal, hurry, clock, treeEmpty: tree.empty },
      graceMs: (setup.options.limits?.graceMs ?? 2_000) + LATE_MS,
    });
    limit?.release();
    if (unfinished !== null) await within(clock, CHARGED_MS, broken.charged);
    progress.stop();
    const code = await work.report({
      ...{ ends, answered, unfinished: unfinished ?? [], account: session.usage() },
      durationMs: clock.now() - context.startedAt,
    });
    return interrupts.code() ?? (isTimeOver ? exitCodes.unfinished : code);
  };

  let code: number = exitCodes.notDone;
  let isClosed = false;
  try {
    try {
      code = await runWork();
    } finally {
      following.abort();
      isClosed = await within(clock, CLOSE_MS, session.close());
    }
    if (isTimeOver || signal.aborted) noteResume();
    if (isClosed) return code;
    progress.note(`The session did not close within ${CLOSE_MS / 1000} s; it is abandoned.`);
    io.leave(code);
    return code;
  } finally {
    progress.stop();
    limit?.release();
    interrupts.release();
  }
}

/** Knows when each reply that was broken off is charged: the gateway says so after the session was left. */
function watchBroken() {
  const open = new Map<ActorId, number>();
  const { promise: charged, resolve } = Promise.withResolvers<void>();
  return {
    charged,
    /** Takes the replies that these agents wait for. */
    watch(views: readonly AgentView[]) {
      for (const { id, state, activity, usage } of views)
        if (state === "running" && activity.type === "model") open.set(id, totalTokens(usage));
      if (open.size === 0) resolve();
    },
    onEvent(event: SupervisorEvent) {
      if (event.type !== "agent") return;
      const { id, usage } = event.view;
      if (
        totalTokens(usage) > (open.get(id) ?? Number.POSITIVE_INFINITY) &&
        open.delete(id) &&
        open.size === 0
      )
        resolve();
    },
  };
}

/** Calls `onOver` when the main conversation has waited for its background work for `ms` milliseconds in all. */
function limitBackground(ms: number, clock: Clock, onOver: () => void) {
  // In a resumed session the main conversation may have ended before.
  let waits = true;
  let left = ms;
  let since: number | null = null;
  let cancel = (): void => {};
  const stop = (): void => {
    cancel();
    if (since !== null) left -= clock.now() - since;
    since = null;
  };
  return {
    onEvent(event: SupervisorEvent) {
      if (event.type !== "agent") return;
      if (event.view.id === MAIN) waits = isDoneButForBackground(event.view);
      if (!waits) return stop();
      if (since !== null) return;
      since = clock.now();
      cancel = clock.after(Math.max(0, left), onOver);
    },
    /** Stops nothing any longer. */
    release: stop,
  };
}

/** How the activity of an actor starts that has answered and is kept for its background work. */
const KEPT = "in the background: ";

function isDoneButForBackground({ state, activity }: AgentView): boolean {
  return state === "ended" || (activity.type === "tool" && activity.title.startsWith(KEPT));
}

/** A live tree on a terminal, plain lines anywhere else. */
export async function chooseProgress({ stderr, env, clock }: CliIO): Promise<Progress> {
  const isLive = stderr.isTTY && !isPlain(env);
  const create = isLive ? (await import("./live-progress.ts")).createLiveProgress : createPlainProgress;
  return create(stderr, clock, paintFor(stderr, env));
}
