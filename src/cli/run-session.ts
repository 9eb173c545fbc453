import { within } from "../mailbox/clock.ts";
import type { AgentResult, SessionUsage, SupervisorHandle } from "../session/options.ts";
import type { AgentView } from "../supervisor/view.ts";
import { chooseProgress } from "./choose-progress.ts";
import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { followSettings } from "./follow-settings.ts";
import { type Interrupts, watchInterrupts } from "./interrupts.ts";
import { type Job, type JobEnd, runJobs } from "./jobs.ts";
import type { Progress } from "./progress.ts";
import type { SessionSetup } from "./session-setup.ts";
import { type Stops, watchStops } from "./stops.ts";
import { type TreeWatch, watchTree } from "./tree-watch.ts";
import { howToGoOn } from "./unfinished.ts";

/** All that a report can be made of. */
export interface Finished {
  /** One per job, in the order of the jobs. */
  readonly ends: readonly JobEnd[];
  /** What the main conversation said last where it went on by itself; null: it did not. */
  readonly answered: AgentResult | null;
  /** Agents that were stopped by a signal or by the limit of their time, as they were then. */
  readonly unfinished: readonly AgentView[];
  readonly account: SessionUsage;
  /** Milliseconds since the command began. */
  readonly durationMs: number;
}

/** What a session is wanted for. */
export interface Work {
  /** Throws where there is nothing to do; nothing was begun then. */
  jobs(session: SupervisorHandle, note: (line: string) => void): readonly Job[];
  /** Milliseconds that the main conversation waits, in all, for nothing but what runs in the background. */
  readonly backgroundMs?: number | undefined;
  /** What the session is kept in goes, too: nobody can go on with it. */
  readonly passing?: boolean;
  report(finished: Finished): Promise<number>;
}

/** Milliseconds beyond the agents' own grace in which cancelled jobs must answer, and for closing the session. */
const LATE_MS = 1_000;
const CLOSE_MS = 10_000;

/**
 * Starts a session, runs the jobs side by side and hands their ends to `report` once the tree of agents is
 * empty; then closes the session. The answer is the report's exit code. On a signal the session is left as it is,
 * what is known is reported, and the signal's exit code is the answer; if time for the background was over,
 * it is `unfinished`. Both can be resumed.
 */
export async function runSession(context: Context, setup: SessionSetup, work: Work): Promise<number> {
  const { io, runtime } = context;
  const createSupervisor = await runtime.createSupervisor();
  const progress = chooseProgress(io);
  const tree = watchTree();
  const answers: AgentResult[] = [];
  let sayHowToGoOn = (): void => {};
  const interrupts = watchInterrupts(io, {
    note: progress.note,
    leave(code) {
      progress.stop();
      sayHowToGoOn();
      io.leave(code);
    },
  });
  const { signal } = interrupts;
  const stops = watchStops({ clock: io.clock, signal, backgroundMs: work.backgroundMs });
  for (const line of setup.notes) progress.note(line);
  try {
    const session = createSupervisor({
      ...setup.options,
      background: "wait",
      onEvent(event) {
        tree.onEvent(event);
        stops.onEvent(event);
        if (event.type === "answered") answers.push(event.result);
        progress.onEvent(event);
      },
    });
    sayHowToGoOn = () => {
      const { main, agents } = session.unfinished();
      if (!work.passing && (main || agents.length > 0)) {
        progress.note(howToGoOn(session.session, setup.options.cwd, io.cwd));
      }
    };
    stops.begin(session);
    let code: number = exitCodes.notDone;
    let closed = false;
    try {
      code = await outcomeOf(session, { context, setup, work, progress, interrupts, tree, stops, answers });
    } finally {
      closed = await within(io.clock, CLOSE_MS, session.close());
    }
    if (stops.isOver() || signal.aborted) sayHowToGoOn();
    if (closed) return code;
    progress.note(`The session did not close within ${CLOSE_MS / 1000} s; leaving without it.`);
    io.leave(code);
    return code;
  } finally {
    progress.stop();
    stops.release();
    interrupts.release();
  }
}

interface Running {
  readonly context: Context;
  readonly setup: SessionSetup;
  readonly work: Work;
  readonly progress: Progress;
  readonly interrupts: Interrupts;
  readonly tree: TreeWatch;
  readonly stops: Stops;
  readonly answers: readonly AgentResult[];
}

/** Runs the jobs and reports; the answer is the exit code. */
async function outcomeOf(session: SupervisorHandle, running: Running): Promise<number> {
  const { context, setup, work, progress, interrupts, tree, stops, answers } = running;
  const { clock } = context.io;
  const following = new AbortController();
  followSettings(session, setup.settings, { note: progress.note, clock, signal: following.signal });
  try {
    const ends = await runJobs(session, work.jobs(session, progress.note), {
      signal: interrupts.signal,
      hurry: interrupts.hurry,
      clock,
      graceMs: (setup.options.limits?.graceMs ?? 2_000) + LATE_MS,
      treeEmpty: tree.empty,
    });
    stops.release();
    progress.stop();
    const code = await work.report({
      ends,
      answered: answers.at(-1) ?? null,
      unfinished: stops.unfinished(),
      account: session.usage(),
      durationMs: clock.now() - context.startedAt,
    });
    return interrupts.code() ?? (stops.isOver() ? exitCodes.unfinished : code);
  } finally {
    following.abort();
  }
}
