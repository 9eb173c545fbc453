import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { journalFile } from "../../../src/journal/paths.ts";
import { BIN } from "../../support/built.ts";
import { processesWith } from "../../support/left-behind.ts";
import { MARK, peakMemoryMb } from "../checks/remains.ts";

export interface Place {
  readonly root: string;
  readonly repository: string;
  readonly home: string;
  readonly temporary: string;
  readonly log: string;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  readonly peakMb: number;
}

/** The built program in a process group of its own. */
export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<ProgramEnd>;
  /** Its whole group, with SIGKILL. */
  kill(): void;
}

/** Whom a kill hits: the program's process group, everything of the session, or only the process that does its git work. */
export type Victim = "group" | "everything" | "git worker";

/** The program, as a user starts it; `env` says where its model is. */
export function startProgram(
  args: readonly string[],
  { repository, home, temporary, root }: Place,
  env: Readonly<Record<string, string>>,
): Program {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const reports = ["--report-on-signal", `--report-directory=${root}`];
  const child = spawn(process.execPath, [...reports, BIN, ...args], {
    cwd: repository,
    detached: true,
    env: { PATH, NODE_COMPILE_CACHE, HOME: home, TMPDIR: temporary, [MARK]: root, IS_SANDBOX: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err, peakMb] = ["", "", 0];
  const look = () => {
    peakMb = Math.max(peakMb, (child.pid === undefined ? null : peakMemoryMb(child.pid)) ?? 0);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    look();
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err = (err + text).slice(-100_000);
  });
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, out, err, peakMb }));
  });
  return {
    child,
    ended,
    kill() {
      look();
      killGroup(child.pid);
    },
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** All processes of the session at once, again and again until none starts another one. */
export function killEverything({ home }: Place): void {
  for (let tries = 0; tries < 50; tries += 1) {
    const pids = processesWith(home);
    if (pids.length === 0) return;
    for (const pid of pids) killOne(Number(pid));
  }
}

/** False: it does not run just now. */
export function killGitWorker({ home }: Place): boolean {
  const worker = processesWith(home).find((pid) => commandOf(pid).includes("worktree-keeper"));
  if (worker === undefined) return false;
  killOne(Number(worker));
  return true;
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was found.
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** The folder of the one session below this home that has begun; null: there is none yet. A start that was killed at once leaves one without a journal. */
export function sessionFolder(home: string): string | null {
  const projects = `${home}/.troupe/projects`;
  try {
    const [project] = readdirSync(projects);
    if (project === undefined) return null;
    const sessions = readdirSync(`${projects}/${project}`).map((name) => `${projects}/${project}/${name}`);
    return sessions.find(hasBegun) ?? null;
  } catch {
    return null;
  }
}

/** Its first line is whole. */
function hasBegun(folder: string): boolean {
  try {
    return readFileSync(journalFile(folder)).includes(0x0a);
  } catch {
    return false;
  }
}
