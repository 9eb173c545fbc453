import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DIST } from "../support/built.ts";
import { MARK, peakMemoryMb } from "./checks/remains.ts";

/** What `session-program.ts` is told. */
export interface ProgramRequest {
  /** The bundle, or the source, of the library. */
  readonly library: string;
  readonly home: string;
  readonly cwd: string;
  readonly url: string;
  readonly prompt: string;
  readonly limits?: Readonly<Record<string, number>>;
}

/** What it says, one JSON line each. */
export type ProgramLine =
  | { readonly type: "opened"; readonly folder: string; readonly resumed: boolean }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "waiting"; readonly reason: string; readonly ms: number }
  | { readonly type: "ended"; readonly status: string; readonly text: string; readonly reason?: string };

export interface SessionRun {
  readonly child: ChildProcess;
  /** So far. */
  readonly lines: readonly ProgramLine[];
  /** Resolves when the process is gone and all it said is read. */
  readonly ended: Promise<RunEnd>;
  /** With SIGKILL; its memory is looked at first. */
  kill(): void;
  /** Calls at the first line of this type. */
  readonly opened: Promise<void>;
}

export interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly complaints: string;
  readonly peakMb: number;
}

/** The bundled library, as users have it; another build of it where the environment names one. */
export const LIBRARY = process.env["TROUPE_FAULTS_LIBRARY"] ?? pathToFileURL(join(DIST, "index.js")).href;

const PROGRAM = new URL("./session-program.ts", import.meta.url);

/** A session in a process of its own: a new one, or the last one of the directory gone on with. */
export function runSession(request: ProgramRequest, mark: string): SessionRun {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [PROGRAM.pathname, JSON.stringify(request)], {
    cwd: request.cwd,
    env: { PATH, NODE_COMPILE_CACHE, HOME: request.home, [MARK]: mark },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: ProgramLine[] = [];
  const opened = Promise.withResolvers<void>();
  let complaints = "";
  let rest = "";
  let peakMb = 0;
  const look = () => {
    peakMb = Math.max(peakMb, (child.pid === undefined ? null : peakMemoryMb(child.pid)) ?? 0);
  };
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaints = (complaints + chunk).slice(-10_000);
  });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const line: ProgramLine = JSON.parse(part);
      lines.push(line);
      if (line.type === "opened") opened.resolve();
      if (line.type === "ended") look();
    }
  });
  const ended = new Promise<RunEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      opened.resolve();
      resolve({ code, signal, complaints, peakMb });
    });
  });
  return {
    child,
    lines,
    ended,
    opened: opened.promise,
    kill() {
      look();
      child.kill("SIGKILL");
    },
  };
}
