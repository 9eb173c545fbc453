import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { type Clock, within } from "../lib/clock.ts";
import { errorCode, errorMessage } from "../lib/errors.ts";
import { FIRST_DESCRIPTOR, type Held } from "./confine.ts";
import type { Lines, ProcessRequest, ProcessResult } from "./processes.ts";

export type Launch =
  | { readonly type: "started"; readonly pid: number; readonly process: ChildProcess }
  | { readonly type: "not-started"; readonly reason: Promise<string> };

type Environment = Readonly<Record<string, string>>;

export function launch(
  request: ProcessRequest,
  env: Environment,
  { descriptors, stdio }: ProcessOutput,
  held: Held | null,
): Launch {
  const { file, args } = held ?? request;
  const streams = stdio ?? streamsOf(descriptors, held?.descriptors ?? []);
  try {
    // Its own group and session: one signal reaches all of it, and it cannot ask for a password at a terminal.
    const process = spawn(file, args, { detached: true, stdio: streams, cwd: request.cwd, env });
    const { pid } = process;
    if (pid !== undefined) return { type: "started", pid, process };
    const failed = once(process, "error");
    return { type: "not-started", reason: failed.then(([error]) => whyNot(request, error)) };
  } catch (error) {
    // Invalid arguments, such as a NUL in a path.
    return { type: "not-started", reason: whyNot(request, error) };
  }
}

/** Without its own descriptors its output is read from pipes. */
function streamsOf(descriptors: ProcessOutput["descriptors"], more: readonly number[]): StdioOptions {
  const own: StdioOptions & unknown[] = ["ignore", ...(descriptors ?? (["pipe", "pipe"] as const))];
  while (more.length > 0 && own.length < FIRST_DESCRIPTOR) own.push("ignore");
  return [...own, ...more];
}

export async function whyNot({ file, cwd }: ProcessRequest, error: unknown): Promise<string> {
  const code = errorCode(error);
  // The system reports a missing directory and a missing program as the same ENOENT.
  const folder = await stat(cwd).catch(() => null);
  if (!folder?.isDirectory()) return `${file} could not be started: the directory ${cwd} does not exist.`;
  switch (code) {
    case "ENOENT":
      return `${file} could not be started: there is no such program.`;
    case "EACCES":
      return `${file} could not be started: it may not be executed, or the directory ${cwd} may not be entered.`;
    case "EMFILE":
    case "ENFILE":
      return `${file} could not be started: too many files are open. Wait until other commands have ended, or raise the limit (ulimit -n).`;
    case "EAGAIN":
      return `${file} could not be started: too many processes are running. Wait until other commands have ended.`;
    case "E2BIG":
      return `${file} could not be started: its arguments are too long.`;
    default:
      return `${file} could not be started: ${errorMessage(error)}.`;
  }
}

type Written = Pick<ProcessResult, "stdout" | "stderr" | "truncated" | "file" | "reason">;

/** Where a child's output goes: into its result, or into a file. Made before the child, closed after it. */
export interface ProcessOutput {
  /** The child's descriptors from 1 on, to which it writes directly; null for pipes. */
  readonly descriptors: readonly number[] | null;
  /** All of the child's streams, if its stdin is read. */
  readonly stdio?: StdioOptions;
  /** Call when the child runs. `full` is called when it has written more than it may. */
  begin(process: ChildProcess, full: (now: "kill" | "end") => void): void;
  /** Reports new lines from the byte `from` on, until `close`; replaces an earlier call. */
  follow(from: number, words: readonly string[], tell: (lines: Lines) => void): void;
  /** Call once, when the child and its group have ended, or never started. */
  close(): Promise<Written>;
}

/** The end of stderr to keep: the last lines say why a program ended. */
const STDERR_CHARS = 16 * 1024;
/** A process that left the group may hold the pipe open forever; do not wait for what it writes later. */
const LINGER_MS = 1_000;

/** Opens a connection to be a child's stdin and stdout: this process neither reads nor writes it. */
export function connectFor(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    // Before it is connected, or this process would read the first bytes.
    socket.pause();
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/** Returns the output of a child that has its own connection. */
export function pipedOutput(socket: Socket, clock: Clock): ProcessOutput {
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  let stderr = "";
  return {
    descriptors: null,
    stdio: [socket, socket, "pipe"],
    begin(process) {
      // The child has its own copy; with this one open its end would not be seen.
      socket.destroy();
      child = process;
      closed = new Promise((resolve) => process.once("close", resolve));
      process.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(-STDERR_CHARS);
      });
    },
    follow() {},
    async close() {
      socket.destroy();
      await within(clock, LINGER_MS, closed);
      child?.stderr?.destroy();
      return { stdout: "", stderr, truncated: false };
    },
  };
}
