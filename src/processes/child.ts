import type { ChildProcess } from "node:child_process";
import { type Clock, pause } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { RunRequest, RunResult } from "../mailbox/runs.ts";
import { boundedText } from "./bounded-text.ts";
import { type Launch, launch } from "./launch.ts";
import { processGroup } from "./process-group.ts";
import { notStarted } from "./results.ts";

const STDERR_BYTES = 64 * 1024;
/** A process that left the group may hold the pipe open for ever; what it writes later is not waited for. */
const LINGER_MS = 1_000;
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export type Stop = "timed-out" | "cancelled";
type Started = Extract<Launch, { type: "started" }>;

export interface Child {
  readonly owner: ActorId;
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Never rejects. Settled when the child's whole group is gone: what it left running is ended with it. */
  readonly result: Promise<RunResult>;
  stop(cause: Stop): void;
}

export function startChild(request: RunRequest, env: Readonly<Record<string, string>>, clock: Clock): Child {
  const { owner } = request;
  const began = clock.now();
  const launched = launch(request, env);
  if (launched.type === "started") return watch(request, launched, clock, began);
  const result = launched.reason.then((reason) => notStarted(request.id, reason, clock.now() - began));
  return { owner, pid: undefined, result, stop() {} };
}

function watch(request: RunRequest, started: Started, clock: Clock, began: number): Child {
  const group = processGroup(started.pid, clock);
  const stdout = boundedText(request.maxOutputBytes);
  const stderr = boundedText(STDERR_BYTES);
  let cause: Stop | null = null;
  let running = true;
  const stop = (why: Stop) => {
    if (running) cause ??= why;
    void group.end();
  };
  started.stdout.on("data", (chunk: Uint8Array) => {
    if (!stdout.add(chunk)) void group.end();
  });
  started.stderr.on("data", (chunk: Uint8Array) => stderr.add(chunk));
  const withdraw = clock.after(Math.min(request.timeoutMs, MAX_TIMER_MS), () => stop("timed-out"));

  async function finish(): Promise<RunResult> {
    const { exitCode, signal } = await exitOf(started.process);
    running = false;
    withdraw();
    await group.end();
    await pipesClosed(started, clock);
    return {
      id: request.id,
      outcome: cause ?? (signal === null ? "exited" : "signalled"),
      exitCode,
      signal,
      stdout: stdout.take(),
      stderr: stderr.take(),
      truncated: stdout.truncated,
      durationMs: clock.now() - began,
    };
  }
  return { owner: request.owner, pid: started.pid, result: finish(), stop };
}

/** The process decides when a run has ended, not its pipes (fault 34). */
function exitOf(process: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    process.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

async function pipesClosed(started: Started, clock: Clock): Promise<void> {
  const closed = new AbortController();
  await Promise.race([started.closed, pause(clock, LINGER_MS, closed.signal)]);
  closed.abort();
  started.stdout.destroy();
  started.stderr.destroy();
}
