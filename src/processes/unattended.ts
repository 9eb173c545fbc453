import { spawn } from "node:child_process";
import { systemClock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { processGroup } from "./process-group.ts";

export interface UnattendedRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds without output after which it is ended. */
  readonly quietMs: number;
  /** Milliseconds after which it is ended. */
  readonly mostMs: number;
  /** Called several times a second: why it must end now, as a clause, or null. */
  findProblem?(): string | null;
  /** When aborted, the call rejects with its reason, after the program has ended. */
  readonly signal: AbortSignal | undefined;
}

export interface UnattendedEnd {
  /** Null if a signal ended it, or it could not be started. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Why it was ended, or could not be started, as a clause; null if it ended by itself. */
  readonly problem: string | null;
}

const LOOK_EVERY_MS = 200;
const MOST_CHARS = 4 * 1024 * 1024;
/** What it left in the background may hold its output open. */
const REST_MS = 1_000;

/**
 * Runs a program that talks with another machine. It has no terminal, so neither it nor what it starts can ask anyone. If it
 * must end, its whole group does.
 */
export async function runUnattended(run: UnattendedRun): Promise<UnattendedEnd> {
  const { command, args, cwd, env, quietMs, mostMs, signal, findProblem = () => null } = run;
  signal?.throwIfAborted();
  const { now } = systemClock;
  const startedAt = now();
  let heardAt = startedAt;
  let problem: string | null = null;
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const collect = (stream: NodeJS.ReadableStream) => {
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (more: string) => {
      heardAt = now();
      text = (text + more).slice(-MOST_CHARS);
    });
    return () => text;
  };
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  const group = processGroup(child.pid ?? 0, systemClock);
  const stop = async () => {
    if (child.pid !== undefined) await group.end();
  };
  /** What a timer throws would end this process. */
  const tryToFind = (): string | null => {
    try {
      return findProblem();
    } catch (error) {
      return errorMessage(error);
    }
  };
  const look = () => {
    if (problem !== null) return;
    if (now() - heardAt > quietMs) problem = `it has said nothing for ${formatTime(quietMs)}`;
    else if (now() - startedAt > mostMs) problem = `it has taken more than ${formatTime(mostMs)}`;
    else problem = tryToFind();
    if (problem !== null || signal?.aborted) void stop();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  signal?.addEventListener("abort", look, { once: true });
  try {
    const code = await new Promise<number | null>((resolve) => {
      child.once("error", (error) => {
        problem = error.message;
        resolve(null);
      });
      child.once("close", resolve);
      child.once("exit", (ended) => setTimeout(resolve, REST_MS, ended).unref());
    });
    if (problem !== null || signal?.aborted) await stop();
    signal?.throwIfAborted();
    return { code, out: out(), err: err(), problem };
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", look);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function formatTime(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} s` : `${Math.round(ms / 60_000)} minutes`;
}
