import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { type Clock, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { confine, type Held } from "./confine.ts";
import { fileOutput } from "./file-output.ts";
import { type RunProcesses, runProcesses } from "./host-tag.ts";
import { type Launch, launch, type ProcessOutput, pipedOutput } from "./launch.ts";
import { processGroup } from "./process-group.ts";
import { type Lines, notStarted, type ProcessRequest, type ProcessResult, unknown } from "./processes.ts";

export type Stop = "timed-out" | "cancelled";
type Started = Extract<Launch, { type: "started" }>;

export interface Child {
  readonly owner: ActorId;
  readonly pid: number | undefined;
  /** Never rejects. Resolves when every process that it started has ended; ends those still running first. */
  readonly result: Promise<ProcessResult>;
  stop(cause: Stop): void;
  /** Reports the lines that it writes to its file, from the byte `from` on. */
  follow(from: number, words: readonly string[], tell: (lines: Lines) => void): void;
  /** Takes its timeout away. */
  untime(): void;
}

export function startChild(
  request: ProcessRequest,
  env: Readonly<Record<string, string>>,
  clock: Clock,
  socket: Socket | null = null,
): Child {
  const began = clock.now();
  let held: Held | null = null;
  try {
    held = request.confined === undefined ? null : confine(request.confined, request);
  } catch (error) {
    return noChild(request, Promise.resolve(notConfined(errorMessage(error))), clock, began);
  }
  let output: ProcessOutput;
  try {
    output = outputFor(request, clock, socket);
  } catch (error) {
    held?.close();
    const reason = `${request.file} could not be started, because there is no file for its output: ${errorMessage(error)}.`;
    return noChild(request, Promise.resolve(reason), clock, began);
  }
  // A confinement ends every process in it.
  const strays = held === null ? runProcesses(env, clock) : runProcesses({}, clock);
  const launched = launch(request, env, output, held);
  if (launched.type === "started") return watch(request, launched, output, held, strays, clock, began);
  const reason = launched.reason.then(async (why) => {
    held?.close();
    await output.close();
    return why;
  });
  return noChild(request, reason, clock, began);
}

function outputFor(
  { output, maxOutputBytes }: ProcessRequest,
  clock: Clock,
  socket: Socket | null,
): ProcessOutput {
  if (socket !== null) return pipedOutput(socket, clock);
  if (output === undefined) return inlineOutput(maxOutputBytes, clock);
  return fileOutput(output, maxOutputBytes, clock);
}

function noChild({ id, owner }: ProcessRequest, reason: Promise<string>, clock: Clock, began: number): Child {
  const result = reason.then((why) => notStarted(id, why, clock.now() - began));
  return { owner, pid: undefined, result, stop() {}, follow() {}, untime() {} };
}

function watch(
  request: ProcessRequest,
  started: Started,
  output: ProcessOutput,
  held: Held | null,
  strays: RunProcesses,
  clock: Clock,
  began: number,
): Child {
  const group = processGroup(started.pid, clock);
  let cause: Stop | null = null;
  let running = true;
  const stop = (why: Stop) => {
    if (running) cause ??= why;
    void group.end();
  };
  output.begin(started.process, (how) => {
    if (how === "kill") group.kill();
    void group.end();
  });
  const { timeoutMs } = request;
  const withdraw = timeoutMs === null ? () => {} : clock.after(timeoutMs, () => stop("timed-out"));

  async function finish(): Promise<ProcessResult> {
    const { exitCode, signal } = await exitOf(started.process);
    running = false;
    withdraw();
    // If a shell ended by itself, it may have left processes running on purpose (fault 32).
    const isReported = request.output !== undefined && cause === null && held === null;
    const left = isReported ? new Set([...group.running(), ...strays.running()]).size : 0;
    const wasStarted = held?.close() ?? true;
    if (held?.isTight !== true || !wasStarted) {
      await group.end();
      await strays.end();
    }
    const { reason, ...written } = await output.close();
    if (!wasStarted && cause === null && signal === null) {
      const said = written.file?.head ?? written.stderr;
      return notStarted(request.id, notConfined(said.trim()), clock.now() - began);
    }
    const said = [
      ...(left > 0 ? [endedWithIt(left, timeoutMs === null)] : []),
      ...(reason === undefined ? [] : [reason]),
    ];
    return {
      id: request.id,
      outcome: cause ?? (signal === null ? "exited" : "signalled"),
      exitCode,
      signal,
      ...written,
      ...(said.length > 0 ? { reason: said.join(" ") } : {}),
      durationMs: clock.now() - began,
    };
  }
  // An unhandled rejection would end the host, and with it every command of the session.
  const result = finish().catch((error) => {
    return unknown(request.id, `What it wrote is not known: ${errorMessage(error)}.`, clock.now() - began);
  });
  return { owner: request.owner, pid: started.pid, result, stop, follow: output.follow, untime: withdraw };
}

/** Nothing has run: the output is that of the program that builds the confinement. */
function notConfined(why: string): string {
  return `Its confinement could not be built (${why.slice(0, 500)}), so nothing was run. Run troupe doctor in a terminal to see why.`;
}

function endedWithIt(left: number, background: boolean): string {
  const what = left === 1 ? "1 process" : `${left} processes`;
  const instead = background
    ? "Run what must continue in this command itself, without `&` and setsid."
    : "Start what must continue with run_in_background.";
  return `It left ${what} running, which ended with it. ${instead}`;
}

/** The process decides when a run has ended, not its pipes (fault 34). */
function exitOf(process: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    process.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

const STDERR_BYTES = 64 * 1024;
/** A process that left the group may hold the pipe open forever; do not wait for what it writes later. */
const LINGER_MS = 1_000;

function inlineOutput(maxBytes: number, clock: Clock): ProcessOutput {
  const stdout = boundedText(maxBytes);
  const stderr = boundedText(STDERR_BYTES);
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  return {
    descriptors: null,
    begin(process, full) {
      child = process;
      closed = new Promise((resolve) => process.once("close", resolve));
      process.stdout?.on("data", (chunk: Uint8Array) => {
        if (!stdout.add(chunk)) full("end");
      });
      process.stderr?.on("data", stderr.add);
    },
    follow() {},
    async close() {
      await within(clock, LINGER_MS, closed);
      child?.stdout?.destroy();
      child?.stderr?.destroy();
      return { stdout: stdout.text(), stderr: stderr.text(), truncated: stdout.isFull() };
    },
  };
}

/** Collects UTF-8 output up to a number of bytes. `add` returns false once there was more. */
function boundedText(maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const isFull = () => bytes > maxBytes;
  return {
    isFull,
    add(chunk: Uint8Array) {
      if (!isFull()) chunks.push(chunk);
      bytes += chunk.length;
      return !isFull();
    },
    text() {
      // A byte order mark is part of what the child wrote; a character that the limit cuts is left out.
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      return decoder.decode(Buffer.concat(chunks).subarray(0, maxBytes), { stream: isFull() });
    },
  };
}
