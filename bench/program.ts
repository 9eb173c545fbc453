import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { sharedNow } from "./machine.ts";

export interface Run {
  /** When it was started, on the clock that processes share. */
  readonly startedAt: number;
  readonly wallMs: number;
  /** User and system time of the program and of the children it waited for. */
  readonly cpuMs: number;
  /** The most memory that the program itself had at a time, or null where /proc does not tell. */
  readonly peakMiB: number | null;
  readonly stdout: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a Node program to its end. Throws, with what it said, when it ends badly. */
export function runProgram(args: readonly string[], { cwd, env }: RunOptions): Promise<Run> {
  const startedAt = sharedNow();
  // The shell knows what its children cost; Node does not tell.
  const shell = ["-c", '"$0" "$@"; code=$?; times >&3; exit $code', process.execPath, ...args];
  const child = spawn("/bin/sh", shell, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const [, stdout, stderr, times] = child.stdio;
  const peak = watchPeak(child.pid);
  const said = Promise.all([textOf(stdout), textOf(stderr), textOf(times as Readable)]);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", async (code) => {
      const wallMs = sharedNow() - startedAt;
      const peakMiB = peak();
      const [out, complaint, cpu] = await said;
      if (code !== 0) reject(new Error(`${args[0]} ended with ${code}: ${complaint || out}`));
      else resolve({ startedAt, wallMs, cpuMs: cpuMs(cpu), peakMiB, stdout: out });
    });
  });
}

const LOOK_MS = 100;

/** Looks at the program, the one child of its shell, until the returned function is called. */
function watchPeak(shell: number | undefined): () => number | null {
  let peak: number | null = null;
  const look = () => {
    try {
      const child = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ")[0];
      const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, "utf8"))?.[1];
      if (kilobytes !== undefined) peak = Math.max(peak ?? 0, Number(kilobytes) / 1024);
    } catch {
      // It has ended, or there is no /proc.
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

async function textOf(stream: Readable | null): Promise<string> {
  let text = "";
  for await (const piece of stream ?? []) text += piece;
  return text;
}

/** The second line of `times` is of the children: minutes and seconds in user code, then in the system. */
function cpuMs(times: string): number {
  const ofChildren = times.trim().split("\n").at(-1) ?? "";
  return [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)]
    .map(([, minutes, seconds]) => (Number(minutes) * 60 + Number(seconds)) * 1000)
    .reduce((sum, ms) => sum + ms, 0);
}
